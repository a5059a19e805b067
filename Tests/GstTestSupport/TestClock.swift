import CGStreamer
import CGStreamerCheck
import TestSupport

/// A clock that the test advances; it replaces the system clock of a pipeline.
///
/// Elements that wait for the clock of the pipeline use this clock: live sources, sinks with `sync=true`, and `identity
/// sync=true`. Elements that measure durations with the monotonic clock do not use it.
///
/// The corresponding C type is `GstTestClock`.
public final class TestClock: @unchecked Sendable {  // GstTestClock is thread-safe.
    private let raw: UnsafeMutablePointer<GstTestClock>

    /// Replaces the clock of `pipeline`, which must not have started.
    public init(_ pipeline: Pipeline) {
        raw = UnsafeMutableRawPointer(gst_test_clock_new()!).assumingMemoryBound(to: GstTestClock.self)
        let clock = UnsafeMutableRawPointer(raw).assumingMemoryBound(to: GstClock.self)
        gst_pipeline_use_clock(
            UnsafeMutableRawPointer(pipeline.raw).assumingMemoryBound(to: GstPipeline.self), clock)
    }

    deinit { gst_object_unref(raw) }

    /// Time of the clock in nanoseconds.
    public var time: UInt64 {
        UInt64(gst_clock_get_time(UnsafeMutableRawPointer(raw).assumingMemoryBound(to: GstClock.self)))
    }

    /// Advances the clock to the end of the earliest wait when `waiters` elements wait; returns false if none waits.
    ///
    /// If `waiters` is the number of all elements that use the clock, the order of the waits is the same in every run.
    /// Some elements may not wait yet, such as a sink before its first frame. After half a second, one waiting element
    /// is therefore sufficient.
    @discardableResult
    public func crank(waiters: Int = 1) -> Bool {
        (isAwaited(by: waiters, within: 500) || isAwaited(by: 1, within: guint(patience / .milliseconds(1))))
            && gst_test_clock_crank(raw) != 0
    }

    private func isAwaited(by count: Int, within milliseconds: guint) -> Bool {
        gst_test_clock_timed_wait_for_multiple_pending_ids(raw, guint(count), milliseconds, nil) != 0
    }
}
