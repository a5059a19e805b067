import CGStreamer
import Durations
import CGStreamerCheck
public import GStreamer

/// A clock that the test advances; it replaces the system clock of a pipeline, or is the clock of a harness.
///
/// Elements that wait for the clock of the pipeline use this clock: live sources, sinks with `sync=true`, and `identity
/// sync=true`. Elements that measure durations with the monotonic clock do not use it. Any thread may use it.
///
/// The corresponding C type is `GstTestClock`.
public final class TestClock: @unchecked Sendable {  // GstTestClock is thread-safe.
    private let raw: UnsafeMutablePointer<GstTestClock>

    /// Replaces the clock of `pipeline`, which must not have started; nil if the element is not a pipeline.
    ///
    /// The corresponding C function is `gst_pipeline_use_clock`.
    public init?(_ pipeline: ElementReference) {
        guard pipeline.isInstance(of: "GstPipeline") else { return nil }
        raw = UnsafeMutableRawPointer(gst_test_clock_new()!).assumingMemoryBound(to: GstTestClock.self)
        pipeline.withUnsafePointer {
            gst_pipeline_use_clock(UnsafeMutableRawPointer($0).assumingMemoryBound(to: GstPipeline.self), clock)
        }
    }

    /// The clock of the element in `harness`, which begins at 0.
    ///
    /// The corresponding C functions are `gst_harness_use_testclock` and `gst_harness_get_testclock`.
    public init(_ harness: Harness) {
        raw = gst_harness_get_testclock(harness.raw)
        harness.element.withUnsafePointer { _ = gst_element_set_clock($0, clock) }
    }

    deinit { gst_object_unref(raw) }

    private var clock: UnsafeMutablePointer<GstClock> {
        UnsafeMutableRawPointer(raw).assumingMemoryBound(to: GstClock.self)
    }

    /// Time of the clock.
    public var time: Duration { .nanoseconds(Int64(clamping: UInt64(gst_clock_get_time(clock)))) }

    /// Moves the clock forwards, so that the waits that end meanwhile are over; a negative time is ignored.
    ///
    /// The corresponding C function is `gst_test_clock_advance_time`.
    public func advance(by time: Duration) {
        gst_test_clock_advance_time(raw, GstClockTimeDiff(clamping: UInt64(nanosecondsOf: time)))
    }

    /// Advances the clock to the end of the earliest wait when `waiters` elements wait; false if none waits in `limit`.
    ///
    /// If `waiters` is the number of all elements that use the clock, the order of the waits is the same in every run.
    /// Some elements may not wait yet, such as a sink before its first frame. After half a second, one waiting element
    /// is therefore sufficient. The corresponding C function is `gst_test_clock_crank`.
    @discardableResult
    public func crank(waiters: Int = 1, within limit: Duration = .seconds(60)) -> Bool {
        (isAwaited(by: waiters, within: .milliseconds(500)) || isAwaited(by: 1, within: limit))
            && gst_test_clock_crank(raw) != 0
    }

    private func isAwaited(by count: Int, within limit: Duration) -> Bool {
        let milliseconds = guint(clamping: UInt64(nanosecondsOf: limit) / 1_000_000)
        return gst_test_clock_timed_wait_for_multiple_pending_ids(raw, guint(clamping: count), milliseconds, nil) != 0
    }
}
