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

    /// Moves the clock to the end of the earliest wait, as soon as `waiters` elements wait for the clock.
    ///
    /// With all elements that use the clock as waiters, the order of the waits is the same in every run. False if fewer
    /// elements wait within `limit`.
    @discardableResult
    public func crank(waiters: Int = 1, within limit: Duration = .seconds(30)) -> Bool {
        let milliseconds = guint(limit / .milliseconds(1))
        let isPending = gst_test_clock_timed_wait_for_multiple_pending_ids(raw, guint(waiters), milliseconds, nil)
        return isPending != 0 && gst_test_clock_crank(raw) != 0
    }
}
