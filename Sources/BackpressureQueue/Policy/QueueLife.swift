/// Why a queue passes no data.
public enum QueueStop: Sendable, Equatable {
    /// A pad is inactive, or between FLUSH_START and FLUSH_STOP.
    case flushing
    case notLinked
    case endOfStream
    /// Another flow return of downstream, by its number; negative numbers are errors.
    case failed(Int32)

    /// Whether the application must be told if nothing is pushed any more that would return it upstream.
    public var isError: Bool {
        switch self {
        case .flushing, .endOfStream: false
        case .notLinked: true
        case .failed(let code): code < 0
        }
    }
}

/// The life cycle of a queue: whether frames may enter, and whether the source pad's thread may push.
///
/// Each event returns what is to be done because of it. The order of the items in the line is not known here.
public enum QueueLife: Sendable, Equatable {
    /// Frames enter and leave.
    case flowing
    /// Downstream returned EOS. Frames are refused until a segment, a new stream or EOS enters.
    case refusing
    /// EOS has entered and was not sent yet. The line empties; only a segment or a new stream may enter.
    case draining
    /// Frames neither enter nor leave. `afterEnd`: EOS has entered, and no new stream behind it.
    case stopped(QueueStop, afterEnd: Bool)

    public init() { self = .stopped(.flushing, afterEnd: false) }

    // MARK: What holds now

    /// Why the source pad's thread must not push; nil when it may.
    public var stop: QueueStop? {
        guard case .stopped(let stop, _) = self else { return nil }
        return stop
    }

    /// Why a frame may not enter; nil when it may.
    public var refusal: QueueStop? {
        switch self {
        case .flowing: nil
        case .refusing, .draining: .endOfStream
        case .stopped(let stop, _): stop
        }
    }

    /// Whether EOS has entered, and no new stream behind it.
    public var hasEnd: Bool {
        switch self {
        case .flowing, .refusing: false
        case .draining: true
        case .stopped(_, let afterEnd): afterEnd
        }
    }

    // MARK: Pads

    /// What to do with the threads of the pads.
    public enum ThreadAction: Sendable, Equatable {
        case none
        /// Start the source pad's task.
        case start
        /// Wake all threads that wait, so that they return.
        case stop
    }

    /// A pad became active, or FLUSH_STOP came: all that was queued is gone.
    public mutating func activated() -> ThreadAction {
        guard self != .flowing else { return .none }
        self = .flowing
        return .start
    }

    /// A pad is to become inactive, or FLUSH_START came.
    @discardableResult
    public mutating func flushStarted() -> ThreadAction {
        self = .stopped(.flushing, afterEnd: hasEnd)
        return .stop
    }

    /// RECONFIGURE came from downstream: what was not linked may be now.
    @discardableResult
    public mutating func reconfigured() -> ThreadAction {
        guard case .stopped(.notLinked, let afterEnd) = self else { return .none }
        self = afterEnd ? .draining : .flowing
        return .start
    }

    // MARK: Serialized events at the entrance

    /// Which event it is, as far as the life cycle depends on it.
    public enum EventKind: Sendable, Equatable {
        case streamStart, segment, endOfStream
        /// Another event that pads store, such as CAPS.
        case sticky
        /// An event that is of no use later, such as GAP.
        case passing
    }

    /// What to do with an event at the entrance.
    public enum EventAction: Sendable, Equatable {
        /// Enqueue it, and start the source pad's task if `starts`.
        case enqueue(starts: Bool)
        case refuse(QueueStop)
        /// Refuse it, and post an error message: upstream sends nothing more and would not notice.
        case refuseAndPost(QueueStop)
    }

    /// A serialized event came.
    ///
    /// `canStart`: the source pad is active.
    public mutating func eventArrived(_ kind: EventKind, canStart: Bool) -> EventAction {
        // A sticky event that cannot be sent is noticed when data cannot; but no data follows EOS.
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

    /// A new stream enters behind EOS: true if the task must run for it.
    private mutating func streamBegan(canStart: Bool) -> Bool {
        switch self {
        case .flowing, .refusing: return false
        case .draining:
            self = .flowing
            return canStart
        case .stopped(let stop, _):
            // A flush ends with FLUSH_STOP only.
            let starts = canStart && stop != .flushing
            self = starts ? .flowing : .stopped(stop, afterEnd: false)
            return starts
        }
    }

    // MARK: The source pad's thread

    /// What to do after a push.
    public enum PushAction: Sendable, Equatable {
        case none
        /// Drop what is first in the line up to EOS, a segment or a new stream; call `foundNoStream` if none is there.
        case skipToNextStream
        case stop
    }

    /// A push of a frame returned; nil stands for OK.
    public mutating func pushReturned(_ result: QueueStop?) -> PushAction {
        guard stop == nil, let result else { return .none }
        if result == .endOfStream { return .skipToNextStream }
        self = .stopped(result, afterEnd: hasEnd)
        return .stop
    }

    /// Nothing in the line may follow the EOS that downstream returned.
    public mutating func foundNoStream() {
        if self == .flowing { self = .refusing }
    }

    /// EOS was sent downstream.
    ///
    /// `isLast`: no other EOS, of a later stream, is in the line.
    @discardableResult
    public mutating func endSent(isLast: Bool) -> ThreadAction {
        guard self == .draining, isLast else { return .none }
        self = .stopped(.endOfStream, afterEnd: true)
        return .stop
    }

    /// What to do with the line when the source pad's thread pauses.
    public enum LineAction: Sendable, Equatable {
        /// RECONFIGURE or a new stream may come.
        case keep
        case empty
        /// A flushing pad stores no sticky event: these stay in the line until FLUSH_STOP.
        case emptyButForStickyEvents
    }

    /// What the source pad's thread does as it pauses; nil while it may push.
    public var pause: (line: LineAction, posts: Bool)? {
        guard case .stopped(let stop, let afterEnd) = self else { return nil }
        let line: LineAction =
            switch stop {
            case .notLinked, .endOfStream: .keep
            case .flushing: .emptyButForStickyEvents
            case .failed: .empty
            }
        return (line, afterEnd && stop.isError)
    }
}
