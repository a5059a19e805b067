import Durations
import GStreamer
import QueuePolicy

/// Content of a queue item.
enum QueuedData: ~Copyable, QueueContent {
    case buffer(Buffer)
    case list(BufferList)
    case event(Event)
    case query(QueryLoan)

    var lifeEvent: QueueLife.EventKind? {
        switch self {
        case .event(let event): QueueLife.EventKind(event)
        default: nil
        }
    }

    var queryAddress: UInt? {
        switch self {
        case .query(let query): query.identity
        default: nil
        }
    }

    func measure(_ frame: inout QueuedFrame) {
        switch self {
        case .buffer(let buffer): frame.measure(buffer.facts)
        case .list(let list): frame.measure(list.facts)
        default: frame.count = 0
        }
    }

    mutating func split(_ part: SplitPart) -> Self? {
        let whole = consume self
        switch consume whole {
        case .list(var list):
            let taken: BufferList?
            switch part {
            case .first(let count): taken = list.split(atMost: Int(count))
            case .unwanted: taken = list.split { $0.headerCount == 0 }
            }
            self = .list(list)
            guard let taken else { return nil }
            return .list(taken)
        case .buffer(let buffer): self = .buffer(buffer)
        case .event(let event): self = .event(event)
        case .query(let query): self = .query(query)
        }
        return nil
    }
}

extension QueuedFrame {
    mutating func measure(_ facts: BufferFacts) {
        count = facts.count
        bytes = facts.bytes
        isDelta = facts.isDeltaUnit
        isDisposable = facts.isDroppable
        headerCount = facts.headerCount
    }
}

extension QueueLife.EventKind {
    init(_ event: borrowing Event) {
        switch event.kind {
        case .streamStart: self = .streamStart
        case .segment: self = .segment
        case .endOfStream: self = .endOfStream
        default: self = event.isSticky ? .sticky : .passing
        }
    }
}

extension QueueStop {
    /// Reason to stop the queue after a push returned `flow`; nil for OK.
    init?(_ flow: FlowResult) {
        switch flow {
        case .ok: return nil
        case .flushing: self = .flushing
        case .notLinked: self = .notLinked
        case .endOfStream: self = .endOfStream
        default: self = .failed(flow.rawValue)
        }
    }

    var flow: FlowResult {
        switch self {
        case .flushing: .flushing
        case .notLinked: .notLinked
        case .endOfStream: .endOfStream
        case .failed(let code): FlowResult(rawValue: code)
        }
    }
}

extension BufferList {
    /// Removes and returns up to `limit` buffers for which `isTaken` returns true, in order; nil if there are none.
    ///
    /// Consecutive buffers are removed in one step, because each removal moves the rest of the list.
    mutating func split(atMost limit: Int = .max, where isTaken: ((BufferFacts) -> Bool)? = nil) -> BufferList? {
        guard var taken = BufferList() else { return nil }
        var index = 0
        while taken.count < limit, index < count {
            var run = 0
            while taken.count < limit, let buffer = buffer(at: index + run),
                isTaken.map({ isTaken in facts(at: index + run).map(isTaken) ?? false }) ?? true
            {
                taken.append(buffer)
                run += 1
            }
            if run > 0 { remove(at: index, count: run) } else { index += 1 }
        }
        guard taken.count > 0 else { return nil }
        return taken
    }
}
