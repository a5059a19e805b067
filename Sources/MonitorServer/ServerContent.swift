import Threads

/// Bodies of the responses, which threads of the owner replace once a second and the thread of the server sends.
final class ServerContent: Sendable {
    private struct Figures {
        var metrics: [UInt8]?
        var stats: [UInt8]?
        /// `stats` as an event.
        var event: [UInt8] = []
        /// Number of times that figures were published.
        var sequence: UInt64 = 0
        /// Whether a client receives events, so that `publish` must wake the thread.
        var isFollowed = false
    }

    private let page: [UInt8]
    private let figures = Mutex(Figures())

    init(page: [UInt8]) { self.page = page }

    /// Replaces the figures; returns whether a client receives events.
    func publish(metrics: [UInt8], stats: [UInt8]) -> Bool {
        let event = EventStream.event(stats)
        return figures.withLock { figures in
            (figures.metrics, figures.stats, figures.event) = (metrics, stats, event)
            figures.sequence &+= 1
            return figures.isFollowed
        }
    }

    /// Returns the last event and its number, 0 before the first one; stores whether a client receives events.
    func event(isFollowed: Bool) -> (text: [UInt8], sequence: UInt64) {
        figures.withLock { figures in
            figures.isFollowed = isFollowed
            return (figures.event, figures.sequence)
        }
    }

    /// Returns the response for a path; nil if the path does not exist.
    func answer(for path: String) -> HTTPResponse? {
        let figures = figures.withLock { $0 }
        switch path {
        case "/": return HTTPResponse(page, type: "text/html; charset=utf-8", headers: HTTPResponse.pagePolicy)
        case "/metrics": return Self.answer(figures.metrics, type: "text/plain; version=0.0.4; charset=utf-8")
        case "/stats": return Self.answer(figures.stats, type: "application/json")
        case "/events": return HTTPResponse(EventStream.opening + figures.event, type: "text/event-stream")
        default: return nil
        }
    }

    private static func answer(_ text: [UInt8]?, type: String) -> HTTPResponse {
        text.map { HTTPResponse($0, type: type) }
            ?? HTTPResponse(.unavailable, "Nothing has been measured yet.", headers: "Retry-After: 1\r\n")
    }
}
