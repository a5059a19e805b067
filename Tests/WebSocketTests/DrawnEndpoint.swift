@testable import WebSocket

/// An endpoint whose peer is drawn with frames, and whose time stands still unless a test passes it.
final class DrawnEndpoint {
    var endpoint: WebSocketEndpoint
    private let role: WebSocketRole
    /// The frames that this side has sent, as the peer decodes it.
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

    /// The messages in frames that the peer sends at a time.
    func receive(_ drawing: String, at seconds: Double = 0) -> [WebSocketMessage] {
        var input = DrawnFrames.bytes(drawing, fromClient: role == .server)[...]
        var messages: [WebSocketMessage] = []
        while let message = endpoint.receive(&input, at: .seconds(seconds)) { messages.append(message) }
        return messages
    }

    /// Sends everything at a time; returns what the peer decodes.
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
