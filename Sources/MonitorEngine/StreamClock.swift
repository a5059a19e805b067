import CGStreamer
import GStreamer
import Synchronization

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
        pipeline.withUnsafePointer { refresh($0, isStarting: isStarting) }
    }

    private func refresh(_ pipeline: UnsafeMutablePointer<GstElement>, isStarting: Bool) {
        // A flush during the refresh invalidates the result.
        let restart = restarts.load(ordering: .acquiring)
        let running = gst_element_get_current_running_time(pipeline)
        let now = gst_util_get_timestamp()
        guard isStarting || Self.plays(pipeline), running != GstClockTime.max,
            gst_element_get_base_time(pipeline) != flushedBase.load(ordering: .acquiring)
        else { return measured.store(0, ordering: .relaxed) }
        offset.store(Int64(bitPattern: UInt64(running)) &- Int64(bitPattern: UInt64(now)), ordering: .relaxed)
        // A source may become live, or be added, while the pipeline plays; a live pipeline stays live.
        let isLive = hasAnswer.load(ordering: .relaxed) || Self.hasLiveSource(pipeline)
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
        pipeline.withUnsafePointer {
            flushedBase.store(UInt64(bitPattern: Int64($0.pointee.base_time)), ordering: .releasing)
        }
        restarts.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }

    /// Whether frames may flow; the pipeline has its base time before its elements change from PAUSED to PLAYING.
    private static func plays(_ pipeline: UnsafeMutablePointer<GstElement>) -> Bool {
        var (state, pending) = (GST_STATE_NULL, GST_STATE_VOID_PENDING)
        let answer = gst_element_get_state(pipeline, &state, &pending, 0)
        guard answer != GST_STATE_CHANGE_FAILURE else { return false }
        return state == GST_STATE_PLAYING || (state == GST_STATE_PAUSED && pending == GST_STATE_PLAYING)
    }

    /// Whether a source is live; a query of the pipeline returns not live if a sink does not synchronize.
    private static func hasLiveSource(_ pipeline: UnsafeMutablePointer<GstElement>) -> Bool {
        guard cgst_is_bin(pipeline) != 0,
            let sources = gst_bin_iterate_sources(
                UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self))
        else { return false }
        defer { gst_iterator_free(sources) }
        var value = GValue()
        defer { g_value_unset(&value) }
        while true {
            switch gst_iterator_next(sources, &value) {
            case GST_ITERATOR_OK:
                defer { g_value_reset(&value) }
                guard let source = g_value_get_object(&value) else { continue }
                if isLive(source: UnsafeMutableRawPointer(source)) { return true }
            case GST_ITERATOR_RESYNC: gst_iterator_resync(sources)
            default: return false
            }
        }
    }

    /// A `GstBaseSrc` is not queried, because some sources answer LATENCY queries only after they have caps, too late.
    private static func isLive(source: UnsafeMutableRawPointer) -> Bool {
        let instance = source.assumingMemoryBound(to: GTypeInstance.self)
        if g_type_check_instance_is_a(instance, gst_base_src_get_type()) != 0 {
            return gst_base_src_is_live(source.assumingMemoryBound(to: GstBaseSrc.self)) != 0
        }
        guard let query = gst_query_new_latency() else { return false }
        defer { gst_query_unref(query) }
        guard gst_element_query(source.assumingMemoryBound(to: GstElement.self), query) != 0 else { return false }
        var live: gboolean = 0
        gst_query_parse_latency(query, &live, nil, nil)
        return live != 0
    }
}
