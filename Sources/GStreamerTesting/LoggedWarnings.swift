import CGStreamer
import Threads

/// Runs `body`, and returns the critical messages and warnings that GLib has logged meanwhile on any thread.
///
///     #expect(loggedWarnings { harness.element.set("amount", to: 2) } == [])
///
/// A critical message, such as `GStreamer-CRITICAL: gst_pad_push: assertion 'GST_IS_PAD (pad)' failed`, is a fault of the
/// caller of a C function. GLib still prints the messages, and ends the process if it shall, as with `G_DEBUG`.
///
/// Messages of tests that run at the same time are included; make the suite `.serialized`, or select the domain. The
/// default handler of the process is replaced. Domains with a handler of their own, and structured logs, are not seen.
public func loggedWarnings(during body: () throws -> Void) rethrows -> [String] {
    let id = GLibLog.begin()
    var messages: [String] = []
    do {
        defer { messages = GLibLog.end(id) }
        try body()
    }
    return messages
}

/// Runs `body`, and returns the critical messages and warnings that GLib has logged meanwhile on any thread.
public func loggedWarnings(
    isolation: isolated (any Actor)? = #isolation, during body: () async throws -> Void
) async rethrows -> [String] {
    let id = GLibLog.begin()
    var messages: [String] = []
    do {
        defer { messages = GLibLog.end(id) }
        try await body()
    }
    return messages
}

/// The messages for each running call of `loggedWarnings`.
private enum GLibLog {
    private static let open = Mutex<(last: Int, messages: [Int: [String]])>((0, [:]))

    static func begin() -> Int {
        install
        return open.withLock { state in
            state.last += 1
            state.messages[state.last] = []
            return state.last
        }
    }

    static func end(_ id: Int) -> [String] { open.withLock { $0.messages.removeValue(forKey: id) ?? [] } }

    private static let install: Void = {
        _ = g_log_set_default_handler(
            { domain, level, message, _ in
                let critical = cgst_log_level_critical().rawValue
                if level.rawValue & (critical | cgst_log_level_warning().rawValue) != 0 {
                    let kind = level.rawValue & critical != 0 ? "CRITICAL" : "WARNING"
                    let origin = domain.map { String(cString: $0) + "-" } ?? ""
                    let text = "\(origin)\(kind): \(message.map { String(cString: $0) } ?? "")"
                    open.withLock { state in for id in state.messages.keys { state.messages[id]?.append(text) } }
                }
                g_log_default_handler(domain, level, message, nil)
            }, nil)
    }()
}
