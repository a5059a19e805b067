import Durations
import SendspinProtocol

/// Checks the conditions that the actions of a session must meet for any messages of the server.
///
/// The monitor collects violations, because an `#expect` per message would take longer than the messages.
struct ActionMonitor {
    private(set) var violations: [String] = []
    private var isStreaming: Bool
    private var isClosed = false

    init(isStreaming: Bool = false) { self.isStreaming = isStreaming }

    /// Checks the actions that one call of a session has returned.
    mutating func take(_ actions: [SessionAction], of session: Session) {
        var hasReason = false
        for action in actions {
            require(!isClosed, "an action after the end")
            switch action {
            case .send(let message): require(message.bytes.count <= 65535, "a message of \(message.bytes.count) bytes")
            case .close: isClosed = true
            case .event(.failed(let failure)):
                hasReason = true
                checkText(failure.text)
            case .event(.ignored(let text)): checkText(text)
            case .event(let event): check(event)
            }
        }
        require(isClosed == session.isClosed, "the end without close, or the reverse")
        if isClosed, !actions.isEmpty { require(hasReason, "an end without a reason") }
        if isClosed { require(session.deadline == nil, "a deadline after the end") }
    }

    private mutating func require(_ condition: Bool, _ violation: @autoclosure () -> String) {
        if !condition, violations.count < 20 { violations.append(violation()) }
    }

    private mutating func checkText(_ text: String) {
        require(text.utf8.count < 400 && text.hasSuffix("."), "a text that is no short sentence: \(text)")
    }

    private mutating func check(_ event: SessionEvent) {
        switch event {
        case .streamStarted:
            require(!isStreaming, "a stream starts twice")
            isStreaming = true
        case .streamChanged, .streamCleared, .chunk: require(isStreaming, "\(event) without a stream")
        case .streamEnded:
            require(isStreaming, "a stream ends twice")
            isStreaming = false
        case .volume(let volume): require((0...100).contains(volume), "volume \(volume)")
        case .outputDelay(let delay): require(delay >= .zero && delay <= .seconds(5), "delay \(delay)")
        default: break
        }
    }
}
