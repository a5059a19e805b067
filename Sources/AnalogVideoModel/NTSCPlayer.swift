/// Work on a picture in bands, which can run in parallel on any thread.
///
/// The work is an object, because a closure would allocate memory.
open class BandWork {
    public init() {}

    /// Processes one band; called once for each of `0..<bands`, in any order, on any thread.
    open func perform(band: Int) {}
}

/// Runs the bands of `BandWork`.
public protocol BandRunner {
    /// Calls `work.perform` for each of `0..<bands`, and returns after the last call has returned.
    func run(_ work: BandWork, bands: Int)
}

/// Plays pictures of one size through the analog signal path; calls must not overlap.
///
/// Builds of the same player exist for different processors; `AnalogVideoPlayer.makePlayer` selects one. The
/// initializer, `reserve`, and the first `play` with a given layout and settings allocate memory; later calls of `play`
/// do not.
open class NTSCPlayer: BandWork {
    /// Receives the planes after each stage; for tests and benchmarks, with one band only.
    public final var probe: StageProbe?

    /// Allocates memory for `bands` bands; uses fewer if the picture has few rows or memory is refused.
    open func reserve(bands: Int) {}

    /// Replaces a picture by its version after the signal path.
    ///
    /// Planes that the format does not have are empty. `layout` must have the width of the player, at most its height,
    /// and fit into the planes. Otherwise, or if memory is refused, the picture does not change and the result is
    /// false. The number of `bands` does not change the result.
    @discardableResult
    @_lifetime(plane: copy plane)
    @_lifetime(plane1: copy plane1)
    @_lifetime(plane2: copy plane2)
    open func play(
        _ plane: inout MutableSpan<UInt8>, _ plane1: inout MutableSpan<UInt8>, _ plane2: inout MutableSpan<UInt8>,
        layout: PictureLayout, frame: UInt64, scan: Scan, settings: NTSCSettings, bands: Int, runner: any BandRunner
    ) -> Bool { false }
}
