import CGStreamer
import TestSupport

/// Polls until `condition` is true; returns false if `condition` is still false after `limit`.
///
/// If possible, a test should wait for a `Latch`, a bus message or the end of a `TestThread` instead.
public func eventually(within limit: Duration = patience, _ condition: () -> Bool) -> Bool {
    poll(for: limit) { condition() }
}

/// Polls for `time`, and returns whether `condition` was true in each poll.
public func remains(for time: Duration = .milliseconds(20), _ condition: () -> Bool) -> Bool {
    !poll(for: time) { !condition() }
}

/// Blocks the calling thread for `time`, as a slow consumer, driver or application does.
///
/// Use this delay only as a part of the tested situation. To wait for a result, use `eventually`.
public func simulateWork(for time: Duration) { g_usleep(gulong(microseconds(time))) }

/// Polls until `isDone` returns true, at intervals that grow from 0.25 to 8 ms; returns false after `limit`.
private func poll(for limit: Duration, _ isDone: () -> Bool) -> Bool {
    let end = g_get_monotonic_time() + microseconds(limit)
    var interval = Duration.microseconds(250)
    while !isDone() {
        if g_get_monotonic_time() >= end { return false }
        simulateWork(for: interval)
        interval = min(interval * 2, .milliseconds(8))
    }
    return true
}

private func microseconds(_ time: Duration) -> gint64 { gint64(time / .microseconds(1)) }
