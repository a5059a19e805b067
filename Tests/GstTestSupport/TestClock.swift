import CGStreamer
import CGStreamerCheck

/// A clock that the test moves, instead of the system clock of a pipeline.
///
/// It drives waits for the clock of the pipeline: live sources, sinks with `sync=true`, `identity sync=true`. Elements
/// that measure durations with the monotonic clock do not follow it.
///
/// The corresponding C type is `GstTestClock`.
public final class TestClock: @unchecked Sendable {  // The clock guards itself.
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

    /// Waits until an element waits for the clock, and moves the clock to the end of the earliest wait.
    ///
    /// False if no element waits for the clock within `limit`.
    @discardableResult
    public func crank(within limit: Duration = .seconds(30)) -> Bool {
        let milliseconds = guint(limit / .milliseconds(1))
        guard gst_test_clock_timed_wait_for_multiple_pending_ids(raw, 1, milliseconds, nil) != 0 else { return false }
        return gst_test_clock_crank(raw) != 0
    }
}
