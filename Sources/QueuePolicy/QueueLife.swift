/// Reason why a queue passes no data.
public enum QueueStop: Sendable, Equatable {
    /// A pad is inactive, or the queue is between FLUSH_START and FLUSH_STOP.
    case flushing
    /// The source pad has no peer.
    case notLinked
    /// EOS was sent, or returned by downstream.
    case endOfStream
    /// Downstream returned another flow return, which is an error if it is negative.
    case failed(Int32)

    /// Whether this reason is an error, which the queue must post if no later push can return it to upstream.
    public var isError: Bool {
        switch self {
        case .flushing, .endOfStream: false
        case .notLinked: true
        case .failed(let code): code < 0
        }
    }

    /// Whether the queued items stay when the task pauses, because RECONFIGURE or a new stream may follow.
    public var keepsItems: Bool { self == .notLinked || self == .endOfStream }
}

/// Life cycle of a queue: whether frames may enter, and whether the streaming thread may push.
///
/// Each event returns the required action. The order of the queued items is not part of this state.
public enum QueueLife: Sendable, Equatable {
    /// Frames enter and leave.
    case flowing
    /// Downstream returned EOS; no frame enters until SEGMENT, STREAM_START or EOS has entered.
    case refusing
    /// EOS has entered and was not sent yet: the queue drains, and only SEGMENT or STREAM_START may enter.
    case draining
    /// Frames neither enter nor leave; with `afterEnd`, EOS has entered and no new stream followed it.
    case stopped(QueueStop, afterEnd: Bool)

    /// Creates the state of an element that has not started.
    public init() { self = .stopped(.flushing, afterEnd: false) }

    // MARK: Current state

    /// Reason why the streaming thread must not push; nil if it may push.
    public var stop: QueueStop? {
        guard case .stopped(let stop, _) = self else { return nil }
        return stop
    }

    /// Reason why a frame must not enter; nil if a frame may enter.
    public var refusal: QueueStop? {
        switch self {
        case .flowing: nil
        case .refusing, .draining: .endOfStream
        case .stopped(let stop, _): stop
        }
    }

    /// Whether EOS has entered and no new stream followed it.
    var hasEnd: Bool {
        switch self {
        case .flowing, .refusing: false
        case .draining: true
        case .stopped(_, let afterEnd): afterEnd
        }
    }

    /// Whether a pause posts an error message, because no later push can return the error to upstream.
    public var postsError: Bool { hasEnd && stop?.isError ?? false }

    // MARK: Pads

    /// Handles the activation of a pad, or FLUSH_STOP, for an empty queue; returns true if the task must start.
    public mutating func activated() -> Bool {
        defer { self = .flowing }
        return self != .flowing
    }

    /// Handles the deactivation of a pad, or FLUSH_START; all waiting threads must return.
    public mutating func flushStarted() { self = .stopped(.flushing, afterEnd: hasEnd) }

    /// Handles RECONFIGURE, after which the source pad may be linked; returns true if the task must start.
    @discardableResult
    public mutating func reconfigured() -> Bool {
        guard case .stopped(.notLinked, let afterEnd) = self else { return false }
        self = afterEnd ? .draining : .flowing
        return true
    }

    // MARK: Serialized events at the entrance

    /// Kinds of events that the life cycle distinguishes.
    public enum EventKind: Sendable, Equatable {
        /// Events that begin or end a stream.
        case streamStart, segment, endOfStream
        /// Another sticky event, such as CAPS.
        case sticky
        /// An event that is not sticky, such as GAP.
        case passing
    }

    /// Action for an event at the entrance.
    public enum EventAction: Sendable, Equatable {
        /// Enqueue the event; with `starts`, start the task of the source pad.
        case enqueue(starts: Bool)
        /// Free the event and return the flow return of the reason.
        case refuse(QueueStop)
        /// Refuse the event and post an error message, because upstream pushes nothing that could return the error.
        case refuseAndPost(QueueStop)
    }

    /// Handles a serialized event that arrived; `canStart` is true if the source pad is active.
    public mutating func eventArrived(_ kind: EventKind, canStart: Bool) -> EventAction {
        // A sticky event is accepted, because the next buffer returns the error. No buffer follows EOS.
        if let stop {
            if kind == .endOfStream { return stop.isError ? .refuseAndPost(stop) : .refuse(stop) }
            if kind == .passing { return .refuse(stop) }
        }
        if hasEnd {
            guard kind == .streamStart || kind == .segment else { return .refuse(.endOfStream) }
            return .enqueue(starts: streamBegan(canStart: canStart))
        }
        switch (self, kind) {
        case (.flowing, .endOfStream), (.refusing, .endOfStream): self = .draining
        case (.refusing, .segment): self = .flowing
        default: break
        }
        return .enqueue(starts: false)
    }

    /// Handles a new stream that enters after EOS; returns true if the task must start for this stream.
    private mutating func streamBegan(canStart: Bool) -> Bool {
        switch self {
        case .flowing, .refusing: return false
        case .draining:
            self = .flowing
            return canStart
        case .stopped(let stop, _):
            // Only FLUSH_STOP ends a flush.
            let starts = canStart && stop != .flushing
            self = starts ? .flowing : .stopped(stop, afterEnd: false)
            return starts
        }
    }

    // MARK: Streaming thread of the source pad

    /// Action after a push.
    public enum PushAction: Sendable, Equatable {
        /// Continue.
        case none
        /// Drop the items before the next EOS, SEGMENT or STREAM_START; if there is none, call `foundNoStream`.
        case skipToNextStream
        /// Pause the task.
        case stop
    }

    /// Handles the result of a push, which is nil for GST_FLOW_OK; returns the next action of the streaming thread.
    public mutating func pushReturned(_ result: QueueStop?) -> PushAction {
        guard stop == nil, let result else { return .none }
        if result == .endOfStream { return .skipToNextStream }
        self = .stopped(result, afterEnd: hasEnd)
        return .stop
    }

    /// Handles the case that downstream returned EOS and the queue holds no EOS, SEGMENT or STREAM_START.
    public mutating func foundNoStream() {
        if self == .flowing { self = .refusing }
    }

    /// Handles an EOS that was sent, with no later EOS in the queue if `isLast`; returns true if the queue stops.
    @discardableResult
    public mutating func endSent(isLast: Bool) -> Bool {
        guard self == .draining, isLast else { return false }
        self = .stopped(.endOfStream, afterEnd: true)
        return true
    }
}
