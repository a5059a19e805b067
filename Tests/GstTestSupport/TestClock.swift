import CGStreamer
import CGStreamerCheck
import TestSupport

/// A clock that the test advances; it replaces the system clock of a pipeline.
///
/// It drives waits for the clock of the pipeline: live sources, sinks with `sync=true`, `identity sync=true`. Elements
/// that measure durations with the monotonic clock do not follow it.
///
/// The corresponding C type is `GstTestClock`.
public final class TestClock: @unchecked Sendable {  // GstTestClock is thread-safe.
    private let raw: UnsafeMutablePointer<GstTestClock>

    /// Replaces the clock of `pipeline`, which has not started yet.
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

    /// Moves the clock to the end of the earliest wait, as soon as `waiters` elements wait for the clock.
    ///
    /// If `waiters` is the number of all elements that use the clock, the order of the waits is the same in every run.
    /// Some elements may not wait yet, such as a sink before its first frame; after half a second, one waiter is
    /// sufficient. Returns false if no element waits.
    @discardableResult
    public func crank(waiters: Int = 1) -> Bool {
        (isAwaited(by: waiters, within: 500) || isAwaited(by: 1, within: guint(patience / .milliseconds(1))))
            && gst_test_clock_crank(raw) != 0
    }

    private func isAwaited(by count: Int, within milliseconds: guint) -> Bool {
        gst_test_clock_timed_wait_for_multiple_pending_ids(raw, guint(count), milliseconds, nil) != 0
    }
}
