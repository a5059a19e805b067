import Durations
import GStreamer
import Synchronization
import Threads

/// Relation between the monotonic clock of the probes and the running time of the pipeline.
///
/// One thread refreshes the relation each second and after state changes; streaming threads read it. The pipeline clock
/// drifts from the monotonic clock by at most about 0.1 ms per second, which limits the precision of ages.
final class StreamClock: @unchecked Sendable {  // The pipeline is only used through MT safe calls, and atomics.
    private let pipeline: ElementHost
    /// Running time minus monotonic time, in nanoseconds.
    private let offset = Atomic<Int64>(0)
    /// 1 plus the number of restarts of the running times, each of which makes `offset` invalid.
    private let restarts = Atomic<UInt64>(1)
    /// Value of `restarts` for which the pipeline is live and `offset` is valid; 0 if there is no such value.
    private let measured = Atomic<UInt64>(0)
    /// Whether the pipeline is known to be live; each refresh queries the liveness until it is known.
    private let hasAnswer = Atomic<Bool>(false)
    /// Base time of the pipeline at the last flush, which does not apply to later frames.
    private let flushedBase = Atomic<UInt64>(.max)

    init(of pipeline: ElementHost) { self.pipeline = pipeline }

    /// Returns the age of a frame in nanoseconds; nil if the pipeline is not live or does not play.
    ///
    /// The age, from the running time of the PTS to the present, includes the time for which the source held the frame.
    @inline(__always)
    func age(runningTime: UInt64, now: UInt64) -> Int64? {
        guard measured.load(ordering: .acquiring) == restarts.load(ordering: .relaxed) else { return nil }
        let present = Int64(truncatingIfNeeded: now) &+ offset.load(ordering: .relaxed)
        return present &- Int64(truncatingIfNeeded: runningTime)
    }

    /// Reads the clock of the pipeline; only a live pipeline that plays has ages by running time.
    ///
    /// `isStarting` is set while an element changes from PAUSED to PLAYING. The pipeline then has its base time, but
    /// `gst_element_get_state` does not return the pending state of a live pipeline.
    func refresh(isStarting: Bool = false) {
        guard let pipeline = pipeline.retained() else { return }
        // A flush during the refresh invalidates the result.
        let restart = restarts.load(ordering: .acquiring)
        let running = pipeline.runningTime
        let now = MonotonicClock.now
        // The pipeline has its base time before its elements change from PAUSED to PLAYING.
        guard isStarting || pipeline.isPlaying, let running,
            Self.number(pipeline.baseTime) != flushedBase.load(ordering: .acquiring)
        else { return measured.store(0, ordering: .relaxed) }
        offset.store(Int64(nanosecondsOf: running - now), ordering: .relaxed)
        // A source may become live, or be added, while the pipeline plays; a live pipeline stays live. A query of the
        // pipeline returns not live if a sink does not synchronize.
        let isLive = hasAnswer.load(ordering: .relaxed) || pipeline.sources().contains { $0.isLiveSource }
        hasAnswer.store(isLive, ordering: .relaxed)
        measured.store(isLive ? restart : 0, ordering: .releasing)
    }

    /// Disables ages by running time until the next refresh in PLAYING.
    func forget() {
        hasAnswer.store(false, ordering: .relaxed)
        restarts.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }

    /// Disables ages by running time until the base time changes, because a flush has reset running times to 0.
    ///
    /// The pipeline sets the base time when its sinks have prerolled, and never if no sink prerolls. Call this on the
    /// thread that sends FLUSH_STOP, before frames of the new segment.
    func restart() {
        flushedBase.store(Self.number(pipeline.baseTime), ordering: .releasing)
        restarts.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }

    private static func number(_ time: Duration?) -> UInt64 { time.map { UInt64(nanosecondsOf: $0) } ?? .max }
}
