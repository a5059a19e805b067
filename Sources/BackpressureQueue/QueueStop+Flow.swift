import GStreamer
import QueuePolicy

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
