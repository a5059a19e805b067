import Durations
import GStreamer
import Threads

// The device is open while a stream plays. One thread opens and closes it; other threads only change the phase.

extension PlayLine {
    private static let serverMessage = "sendspin-server"

    /// Starts the thread that opens and closes the device, before the state of the bin changes to PAUSED.
    func beginIdling(_ settings: SendspinPlaySettings) throws(ElementError) -> PlayWorker {
        let new = PlayWorker(idleTimeout: settings.idleTimeout) { [weak self] step, worker in
            guard let self else { return }
            // A handler may release the player meanwhile.
            let element = host.retained()
            defer { withExtendedLifetime(element) {} }
            switch step {
            case .wake(let number):
                let isOpen = wake(worker)
                // The first data behind the gate may announce another format, which an open device follows.
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

    /// Ends the thread when its step has ended.
    func endIdling() {
        let old = worker
        worker = nil
        old?.end()
    }

    /// Handles a message of the source, on its network thread or its streaming thread.
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

    /// Handles the loss of a server, of which another thread may report late: another server may play already.
    private func serverLost() {
        guard let worker else { return }
        let stream = worker.change { $0.generation }
        guard source.value("connected") != .bool(true) else { return }
        let remaining = bufferedTime
        worker.change { $0.serverLost(at: stream, remaining: remaining, now: MonotonicClock.now) }
    }

    /// Playing time that waits in the source.
    private var bufferedTime: Duration {
        guard case .structure(let stats)? = source.value("stats"), case .uint64(let time)? = stats["buffer-time"] else {
            return .zero
        }
        return .nanoseconds(time)
    }

    // MARK: Steps, on the thread of the worker

    /// Opens the device, with the gate still closed; false if it cannot be opened, of which the sink has posted an error.
    private func wake(_ worker: PlayWorker) -> Bool {
        let elements = Array(behindSource.reversed())
        // The formats of the device are known when it is open.
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

    /// Brings elements to NULL after a handler has ended the run while they were woken.
    ///
    /// The state change whose message it handled continues after it has returned.
    private func abandon(_ elements: [ElementReference]) {
        // A handler may have started the next run, with the same elements except for the sink.
        let isRunning = worker != nil
        let present = behindSource
        for element in elements where !(isRunning && present.contains { $0.identity == element.identity }) {
            element.setState(.null)
        }
    }

    /// Closes the device; false, with the gate closed, if audio is on its way.
    private func sleep() -> Bool {
        gate.close()
        // In PAUSED, the sink holds what was on its way.
        if !gate.isIdle, wasPaused.load(ordering: .relaxed) { flushSource(prerolls: false) }
        guard gate.isIdle else { return false }
        rest()
        return true
    }

    /// Brings the elements behind the source to NULL, where they stay.
    func rest() {
        gate.close()
        for element in behindSource.reversed() {
            element.isStateLocked = true
            element.setState(.null)
        }
        // A decoder decodes only the codec of its first caps. The new one receives the events of the stream again.
        replaceDecoder()
    }
}
