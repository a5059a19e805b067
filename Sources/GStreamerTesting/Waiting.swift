import CGStreamer

/// Checks `condition` until it is true, and returns true; returns false if it is still false after `limit`.
///
/// A test has no fixed delay, so it is fast, and holds on a busy machine. The interval of the checks grows from 0.25 to
/// 8 ms. Wait for a message or a buffer instead if the condition depends on one: `Harness.waitForBuffer` does not poll.
public func eventually(within limit: Duration = .seconds(60), _ condition: () -> Bool) -> Bool {
    poll(for: limit) { condition() }
}

/// Checks `condition` for `time`, and returns whether it was always true.
public func remains(for time: Duration = .milliseconds(20), _ condition: () -> Bool) -> Bool {
    !poll(for: time) { !condition() }
}

private func poll(for limit: Duration, _ isDone: () -> Bool) -> Bool {
    let end = g_get_monotonic_time() + gint64(limit / .microseconds(1))
    var interval = gulong(250)
    while !isDone() {
        if g_get_monotonic_time() >= end { return false }
        g_usleep(interval)
        interval = min(interval * 2, 8_000)
    }
    return true
}
