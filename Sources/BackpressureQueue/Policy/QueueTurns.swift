/// What the source pad's thread of a queue is doing.
public enum QueueExitTurn: Sendable, Equatable {
    case working
    /// Nothing is in the line, and `underrun` was emitted.
    case idle
    /// The first frame waits for a credit, with this limit of frames in flight.
    case awaitingCredit(limit: UInt32)

    /// The line was found empty: true if `underrun` must be emitted.
    public mutating func foundNothing() -> Bool {
        defer { self = .idle }
        return self != .idle
    }

    /// Something is in the line: true if `running` must be emitted.
    public mutating func foundItem() -> Bool {
        defer { self = .working }
        return self == .idle
    }

    /// The thread looks at the line again.
    public mutating func woke() {
        if case .awaitingCredit = self { self = .working }
    }
}

/// The serialized query in a queue; its sender waits for the answer.
///
/// A query is known by its address.
public enum QueryTurn: Sendable, Equatable {
    case none
    /// The peer is being asked. The query must not be freed.
    case asked(UInt)
    case answered(UInt, Bool)

    /// What the sender of a query does.
    public enum SenderAction: Sendable, Equatable {
        case wait
        case finish(Bool)
        /// Take the query out of the line if it is still there; the answer is no.
        case withdraw
    }

    /// The peer has answered; `flows`: the queue was not stopped meanwhile.
    public mutating func answered(_ isYes: Bool, flows: Bool) {
        guard case .asked(let query) = self else { return }
        self = .answered(query, isYes && flows)
    }

    /// The sender of `query` looks for the answer; `isQueued`: the query is in the line.
    public mutating func looked(for query: UInt, isQueued: Bool, flows: Bool) -> SenderAction {
        switch self {
        case .answered(query, let isYes):
            self = .none
            return .finish(isYes)
        case .asked(query): return .wait
        default: return isQueued && flows ? .wait : .withdraw
        }
    }
}
