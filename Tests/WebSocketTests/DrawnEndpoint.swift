@testable import WebSocket

/// An endpoint whose peer sends frames in the notation of `DrawnFrames`, at times that the test passes.
final class DrawnEndpoint {
    var endpoint: WebSocketEndpoint
    private let role: WebSocketRole
    /// Unused and always empty; `flush` returns the frames that this side has sent.
    private(set) var sent: [String] = []
    private var peer: FrameDecoder

    init(_ role: WebSocketRole, _ change: (inout WebSocketLimits) -> Void = { _ in }) {
        var limits = WebSocketLimits()
        limits.idleTime = .seconds(10)
        limits.pongTime = .seconds(5)
        limits.stallTime = .seconds(8)
        limits.closeTime = .seconds(1)
        change(&limits)
        self.role = role
        endpoint = WebSocketEndpoint(role: role, limits: limits, at: .zero) { 0xA1B2_C3D4 }
        peer = FrameDecoder(role: role == .client ? .server : .client, limit: 1 << 24)
    }

    /// Receives frames of the peer, and returns the messages in these frames.
    func receive(_ drawing: String, at seconds: Double = 0) -> [WebSocketMessage] {
        var input = DrawnFrames.bytes(drawing, fromClient: role == .server)[...]
        var messages: [WebSocketMessage] = []
        while let message = endpoint.receive(&input, at: .seconds(seconds)) { messages.append(message) }
        return messages
    }

    /// Sends all unsent bytes, and returns the frames that the peer decodes.
    func flush(at seconds: Double = 0) -> String {
        var words: [String] = []
        while !endpoint.unsent.isEmpty {
            var input = endpoint.unsent
            let count = input.count
            words += DrawnFrames.words(&peer, &input)
            endpoint.didSend(count, at: .seconds(seconds))
        }
        return words.joined(separator: " ")
    }

    func send(_ message: WebSocketMessage, at time: Duration) -> Bool { endpoint.send(message, at: time) }

    func advance(to seconds: Double) { endpoint.advance(to: .seconds(seconds)) }
}
