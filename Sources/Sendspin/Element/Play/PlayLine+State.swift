import AudioSinks
import GStreamer

// State changes of the bin.

extension PlayLine {
    /// Carries out a state change of the bin, while the worker takes no step.
    func carryOut(
        _ change: StateChange, _ settings: SendspinPlaySettings
    ) throws(ElementError) -> StateChangeResult {
        switch change {
        case .nullToReady:
            configure(settings)
            try open(settings)
            return host.parentChangeState(change)
        case .readyToPaused:
            let worker = try beginIdling(settings)
            let result = holding(worker) { host.parentChangeState(change) }
            if result == .failure { endIdling() }
            return result
        case .pausedToReady:
            endIdling()
            let result = host.parentChangeState(change)
            if result != .failure { rest() }
            return result
        case .readyToNull:
            let result = host.parentChangeState(change)
            if result != .failure { close() }
            return result
        default:
            return holding(worker) { host.parentChangeState(change) }
        }
    }

    private func holding(_ worker: PlayWorker?, _ body: () -> StateChangeResult) -> StateChangeResult {
        worker?.hold()
        defer { worker?.release() }
        return body()
    }
}
