import AudioSinks
import GStreamer

// State changes of the bin.

extension PlayLine {
    /// Performs a state change of the bin, while the worker takes no step.
    func carryOut(
        _ change: StateChange, _ settings: SendspinPlaySettings
    ) throws(ElementError) -> StateChangeResult {
        switch change {
        case .nullToReady:
            try open(settings)
            let result = host.parentChangeState(change)
            // After a failure, GStreamer does not change the state of the children back to NULL.
            if result == .failure {
                _ = host.parentChangeState(.readyToNull)
                close()
            }
            return result
        case .readyToPaused:
            wasPaused.store(false, ordering: .relaxed)
            configure(settings)
            let worker = try beginIdling(settings)
            let result = holding(worker) { host.parentChangeState(change) }
            if result == .failure {
                endIdling()
                // The bin has set all its elements to READY, also those with a locked state; `rest` sets them to NULL.
                rest()
            }
            return result
        case .pausedToPlaying where wasPaused.exchange(false, ordering: .relaxed):
            return holding(worker) { continuePlaying() }
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
            wasPaused.store(change == .playingToPaused, ordering: .relaxed)
            return holding(worker) { host.parentChangeState(change) }
        }
    }

    private func holding(_ worker: PlayWorker?, _ body: () -> StateChangeResult) -> StateChangeResult {
        worker?.hold()
        defer { worker?.release() }
        return body()
    }

    /// Plays after a pause, and discards older audio, which would appear to be on time because of the new base time.
    private func continuePlaying() -> StateChangeResult {
        let isAwake = worker?.isAwake == true
        gate.close()
        flushSource(prerolls: false)
        let result = host.parentChangeState(.pausedToPlaying)
        // Until PLAYING, the source holds a buffer with a timestamp of the old base time, which must be flushed.
        flushSource(prerolls: isAwake)
        if isAwake { gate.open() }
        return result
    }

    /// Flushes downstream of the source; with `prerolls`, sinks preroll again if no stream plays.
    func flushSource(prerolls: Bool) {
        if let event = FlushRequest(prerolls: prerolls).event { source.pad("src")?.send(event) }
    }
}
