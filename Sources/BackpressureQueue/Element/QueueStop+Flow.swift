import GStreamer
import QueuePolicy

extension QueueStop {
    /// Reason of a push that returned `flow` to stop the queue; nil for OK.
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
