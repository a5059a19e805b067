/// Bodies of the answers; the owner replaces them once a second, not on a streaming thread.
struct ServerContent: Sendable {
    var page: [UInt8]
    var metrics: [UInt8]?
    var stats: [UInt8]?
    /// `stats` as an event.
    var event: [UInt8] = []
    /// Number of times that content was published.
    var sequence: UInt64 = 0

    mutating func publish(metrics: [UInt8], stats: [UInt8], event: [UInt8]) {
        self.metrics = metrics
        self.stats = stats
        self.event = event
        sequence &+= 1
    }

    /// Returns the answer for a path; nil if the path does not exist.
    func answer(for path: String) -> HTTPResponse? {
        switch path {
        case "/": HTTPResponse(page, type: "text/html; charset=utf-8", headers: HTTPResponse.pagePolicy)
        case "/metrics": figures(metrics, type: "text/plain; version=0.0.4; charset=utf-8")
        case "/stats": figures(stats, type: "application/json")
        case "/events": HTTPResponse(EventStream.opening + event, type: "text/event-stream")
        default: nil
        }
    }

    private func figures(_ text: [UInt8]?, type: String) -> HTTPResponse {
        text.map { HTTPResponse($0, type: type) }
            ?? HTTPResponse(.unavailable, "Nothing has been measured yet.", headers: "Retry-After: 1\r\n")
    }
}
