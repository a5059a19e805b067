import GStreamer

// Events and state changes of the bin.

extension ThermalEngine {
    func handle(_ event: consuming Event, on pad: borrowing Pad) -> Bool {
        if let request = QualityEvent(event), receive(request) { return true }
        if event.kind == .reconfigure { stream.negotiateAgain() }
        return pad.handleByDefault(event)
    }

    func send(_ event: consuming Event) -> Bool {
        if let request = QualityEvent(event), receive(request) { return true }
        return host.parentSendEvent(event)
    }

    func changeState(_ change: StateChange) -> StateChangeResult {
        if change == .pausedToReady { beginStop() }
        let result = host.parentChangeState(change)
        if change == .readyToPaused, result == .failure { beginStop() }
        return result
    }
}
