import Durations
import GStreamer
import Threads

// In PAUSED and PLAYING, only the worker opens and closes the device; other threads change the phase of the worker.

extension PlayLine {
    private static let serverMessage = "sendspin-server"

    /// Starts the thread that opens and closes the device, before the state of the bin changes to PAUSED.
    func beginIdling(_ settings: SendspinPlaySettings) throws(ElementError) -> PlayWorker {
        let new = PlayWorker(idleTimeout: settings.idleTimeout) { [weak self] step, worker in
            guard let self else { return }
            // A message handler may release the player during the step.
            let element = host.retained()
            defer { withExtendedLifetime(element) {} }
            switch step {
            case .wake(let number):
                let isOpen = wake(worker)
                // The phase changes before the gate opens: the first data may have another format, which
                // `formatChanges` handles only if the device is open.
                worker.change { phase in
                    phase.hasWoken(number, isOpen: isOpen)
                    if isOpen { gate.open() }
                }
            case .sleep:
                let isClosed = sleep()
                worker.change { phase in
                    phase.hasFallenAsleep(isClosed, now: MonotonicClock.now)
                    if !isClosed { gate.open() }
                }
            }
        }
        guard let new else { throw .resource(.failed, "The system has no thread for sendspinplay.") }
        worker = new
        return new
    }

    func endIdling() {
        let old = worker
        worker = nil
        old?.end()
    }

    /// Handles a message of the source, on one of its network threads or its streaming thread.
    func streamMessage(_ message: Structure) {
        switch message.name {
        case StreamMessages.start: worker?.change { $0.streamStarted() }
        case StreamMessages.end: worker?.change { $0.streamEnded(now: MonotonicClock.now) }
        case Self.serverMessage where message["connected"] == .bool(false):
            serverLost()
        case StreamMessages.format where needsDecoder || message["changes"] == .bool(true):
            formatChanges(continues: message["continues"] == .bool(true))
        default: break
        }
    }

    /// Starts the idle timeout after the loss of a server, unless another server has connected before the message.
    private func serverLost() {
        guard let worker else { return }
        let stream = worker.change { $0.generation }
        guard source.value("connected") != .bool(true) else { return }
        let remaining = bufferedTime
        worker.change { $0.serverLost(at: stream, remaining: remaining, now: MonotonicClock.now) }
    }

    private var bufferedTime: Duration {
        guard case .structure(let stats)? = source.value("stats"), case .uint64(let time)? = stats["buffer-time"] else {
            return .zero
        }
        return .nanoseconds(time)
    }

    // MARK: Steps, on the thread of the worker

    /// Opens the device while the gate is closed; false if an element has posted an error or the run has ended.
    private func wake(_ worker: PlayWorker) -> Bool {
        chooseSink()
        guard !worker.hasEnded else { return false }
        let elements = Array(behindSource.reversed())
        // The sink reports the formats of the device in READY.
        var isOpen = elements.first?.setState(.ready) != .failure
        defer { if worker.hasEnded { abandon(elements) } }
        if isOpen, !worker.hasEnded { chooseOutputFormat() }
        for element in elements where isOpen {
            // A handler of a message of these elements may have stopped the player.
            guard !worker.hasEnded else { return false }
            element.isStateLocked = false
            isOpen = element.syncStateWithParent()
        }
        guard !worker.hasEnded else { return false }
        if !isOpen { rest() }
        return isOpen
    }

    /// Sets elements to NULL if a message handler ended the run while `wake` changed their state.
    ///
    /// The state change that posted the message continues after the handler returns.
    private func abandon(_ elements: [ElementReference]) {
        // The handler may have started the next run, which uses some of these elements.
        let isRunning = worker != nil
        let present = behindSource
        for element in elements where !(isRunning && present.contains { $0.identity == element.identity }) {
            element.setState(.null)
        }
    }

    /// Closes the device; returns false, with the gate closed, if audio is passing the elements.
    private func sleep() -> Bool {
        gate.close()
        // In PAUSED, the sink blocks the audio that has passed the gate until a flush.
        if !gate.isIdle, wasPaused.load(ordering: .relaxed) { flushSource(prerolls: false) }
        guard gate.isIdle else { return false }
        rest()
        return true
    }

    /// Sets the elements behind the source to NULL and locks their state.
    func rest() {
        gate.close()
        for element in behindSource.reversed() {
            element.isStateLocked = true
            element.setState(.null)
        }
        // `decodebin` decodes only the codec of its first caps. A new `decodebin` receives the sticky events again.
        replaceDecoder()
    }
}
