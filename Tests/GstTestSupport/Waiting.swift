import CGStreamer
import TestSupport

/// Calls `eventually` of `GStreamerTesting` with the limit of these tests.
public func eventually(_ condition: () -> Bool) -> Bool { eventually(within: patience, condition) }

/// Blocks the calling thread for `time`, as a slow consumer, driver or application does.
///
/// Use this delay only as a part of the tested situation. To wait for a result, use `eventually`.
public func simulateWork(for time: Duration) { g_usleep(gulong(time / .microseconds(1))) }
