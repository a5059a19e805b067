import CGStreamer
import Synchronization

/// The relation between the monotonic clock of the probes and the running time of the pipeline.
///
/// One thread refreshes it once a second and after state changes; streaming threads read it. The clock of a pipeline
/// drifts from the monotonic clock by at most some 0.1 ms in a second, so ages are exact to that.
final class StreamClock: Sendable {
    /// Running time minus monotonic time, in nanoseconds.
    private let offset = Atomic<Int64>(0)
    private let isLive = Atomic<Bool>(false)
    /// Whether `isLive` holds the answer of the pipeline; it is asked once for each time that it plays.
    private let hasAnswer = Atomic<Bool>(false)

    /// Returns the age of a frame in a live pipeline that plays, in nanoseconds; nil in any other.
    ///
    /// The age is the running time now minus that of the PTS, so it contains the time that the source held the frame.
    @inline(__always)
    func age(runningTime: UInt64, now: UInt64) -> Int64? {
        guard isLive.load(ordering: .relaxed) else { return nil }
        let present = Int64(truncatingIfNeeded: now) &+ offset.load(ordering: .relaxed)
        return present &- Int64(truncatingIfNeeded: runningTime)
    }

    /// Reads the clock of `pipeline`; a pipeline that is not live or does not play has no ages of this kind.
    func refresh(_ pipeline: UnsafeMutablePointer<GstElement>) {
        let running = gst_element_get_current_running_time(pipeline)
        let now = gst_util_get_timestamp()
        var state = GST_STATE_NULL
        let answer = gst_element_get_state(pipeline, &state, nil, 0)
        guard state == GST_STATE_PLAYING, answer != GST_STATE_CHANGE_FAILURE, running != GstClockTime.max else {
            return forget()
        }
        offset.store(Int64(bitPattern: UInt64(running)) &- Int64(bitPattern: UInt64(now)), ordering: .relaxed)
        guard !hasAnswer.exchange(true, ordering: .relaxed) else { return }
        isLive.store(Self.isLive(pipeline), ordering: .relaxed)
    }

    /// Has no ages by running time until the next refresh in PLAYING.
    func forget() {
        hasAnswer.store(false, ordering: .relaxed)
        isLive.store(false, ordering: .relaxed)
    }

    private static func isLive(_ pipeline: UnsafeMutablePointer<GstElement>) -> Bool {
        guard let query = gst_query_new_latency() else { return false }
        defer { gst_query_unref(query) }
        guard gst_element_query(pipeline, query) != 0 else { return false }
        var live: gboolean = 0
        gst_query_parse_latency(query, &live, nil, nil)
        return live != 0
    }
}
