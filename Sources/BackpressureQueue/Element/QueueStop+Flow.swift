import GStreamer
import QueuePolicy

extension QueueStop {
    /// Why a push that returned `flow` was the last one; nil if it went well.
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
