/// A part of a picture's work that can run beside the other parts, on any thread.
///
/// A class and not a closure, so that handing it out allocates nothing.
open class BandWork {
    public init() {}

    /// Does the work of one band; called once for each of `0..<bands`, in any order, on any thread.
    open func perform(band: Int) {}
}

/// Runs all bands of a piece of work and returns when the last is done.
public protocol BandRunner {
    func run(_ work: BandWork, bands: Int)
}

/// Runs one band after the other on the calling thread.
public struct SerialRunner: BandRunner {
    public init() {}

    public func run(_ work: BandWork, bands: Int) {
        for band in 0..<bands { work.perform(band: band) }
    }
}

/// Plays pictures of one size through the analog signal path.
///
/// There are several builds of the same player for different processors; `AnalogVideoPlayer.makePlayer` picks one.
/// Memory is taken when it is made, by `reserve`, and by the first `play` of a kind; then `play` allocates nothing. One
/// thread at a time.
open class NTSCPlayer: BandWork {
    /// Takes the memory for that many bands; fewer are played where the picture is low or memory is refused.
    open func reserve(bands: Int) {}

    /// Replaces a picture by what the receiver shows of it.
    ///
    /// Planes that the format does not have are empty. `layout` must be as wide as the player was made for, no higher,
    /// and lie inside the planes, else nothing happens, and the answer is false; so it is when memory is refused.
    /// The same `frame`, `scan` and `settings` give the same picture at any number of `bands`.
    @discardableResult
    open func play(
        _ plane: inout MutableSpan<UInt8>, _ plane1: inout MutableSpan<UInt8>, _ plane2: inout MutableSpan<UInt8>,
        layout: PictureLayout, frame: UInt64, scan: Scan, settings: NTSCSettings, bands: Int, runner: any BandRunner
    ) -> Bool { false }

    /// The same for a picture in one plane.
    @discardableResult
    public final func play(
        _ pixels: inout MutableSpan<UInt8>, layout: PictureLayout, frame: UInt64, scan: Scan, settings: NTSCSettings,
        bands: Int, runner: any BandRunner
    ) -> Bool {
        var plane1 = MutableSpan<UInt8>()
        var plane2 = MutableSpan<UInt8>()
        return play(
            &pixels, &plane1, &plane2, layout: layout, frame: frame, scan: scan, settings: settings, bands: bands,
            runner: runner)
    }
}
