/// State of the streaming thread at the exit.
public enum QueueExitState: Sendable, Equatable {
    case working
    /// The queue is empty, and `underrun` was emitted.
    case idle
    /// The first frame waits for credit under this limit of frames in flight.
    case awaitingCredit(limit: UInt32)

    /// The queue is empty.
    ///
    /// Returns true if `underrun` must be emitted.
    public mutating func foundNothing() -> Bool {
        defer { self = .idle }
        return self != .idle
    }

    /// The queue holds an item.
    ///
    /// Returns true if `running` must be emitted.
    public mutating func foundItem() -> Bool {
        defer { self = .working }
        return self == .idle
    }

    /// The streaming thread was woken.
    public mutating func woke() {
        if case .awaitingCredit = self { self = .working }
    }
}

/// State of the serialized query in a queue.
///
/// The sender of the query waits for the answer.
///
/// A query is identified by its address.
public enum QueueQueryState: Sendable, Equatable {
    case none
    /// The query was sent to the peer and must not be freed.
    case asked(UInt)
    case answered(UInt, Bool)

    /// Action for the sender of a query.
    public enum SenderAction: Sendable, Equatable {
        case wait
        case finish(Bool)
        /// Remove the query from the queue if it is still there.
        ///
        /// The query fails.
        case withdraw
    }

    /// The peer answered.
    ///
    /// `flows` is false if the queue was stopped meanwhile.
    public mutating func answered(_ isYes: Bool, flows: Bool) {
        guard case .asked(let query) = self else { return }
        self = .answered(query, isYes && flows)
    }

    /// The sender of `query` checks for the answer.
    ///
    /// `isQueued` is true if the query is still in the queue.
    public mutating func senderChecked(_ query: UInt, isQueued: Bool, flows: Bool) -> SenderAction {
        switch self {
        case .answered(query, let isYes):
            self = .none
            return .finish(isYes)
        case .asked(query): return .wait
        default: return isQueued && flows ? .wait : .withdraw
        }
    }
}
