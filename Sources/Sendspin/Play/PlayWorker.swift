import Threads

/// The thread that opens and closes the device of a `PlayLine`, in one run of the player.
///
/// Its mutex is a leaf lock, which is not held while elements change their state.
final class PlayWorker: Sendable {
    private static let name = "sendspin-idle"

    private struct State {
        var phase = PlayPhase()
        /// Thread of the worker.
        var thread: UInt?
        var hasEnded = false
    }

    private let state = Monitor(State(), conditions: 1)
    private let forks = ForkCount.now

    /// `body` carries out a step, and reports its end; nil if the system has no thread.
    init?(idleTimeout: Duration, _ body: @escaping @Sendable (PlayPhase.Step, PlayWorker) -> Void) {
        state.change { $0.phase.idleTimeout = idleTimeout }
        let worker = Worker.start(Self.name) { [self] in
            state.change { $0.thread = Worker.currentThread }
            while let step = nextStep() { body(step, self) }
        }
        if worker == nil { return nil }
    }

    /// Changes the phase and wakes the thread.
    @discardableResult
    func change<R>(_ body: (inout PlayPhase) -> R) -> R {
        state.change { now in
            defer { state.mutex.wake(0) }
            return body(&now.phase)
        }
    }

    /// Whether the device is open, and is not being closed.
    var isAwake: Bool { state.change { $0.phase.place == .awake } }

    /// Whether the run has ended, so that a step must not continue.
    var hasEnded: Bool { state.change { $0.hasEnded } }

    /// Prevents the next step, and waits for the end of this one.
    ///
    /// A handler of a message may change the state of the bin on the thread of the worker, which does not wait for itself.
    func hold() { prevent { $0.phase.hold() } }

    func release() { change { $0.release() } }

    /// Ends the run, and waits for the end of the step.
    func end() { prevent { $0.hasEnded = true } }

    private func prevent(_ body: (inout State) -> Void) {
        let caller = Worker.currentThread
        state.change { now in
            body(&now)
            state.mutex.wake(0)
        }
        // A forked child does not have the thread, whose step would never end.
        guard forks == ForkCount.now else { return }
        state.await { now -> Monitor<State>.Step<Void> in
            now.phase.isMoving && now.thread != caller ? .wait(0, until: nil) : .done(())
        }
    }

    /// Waits for the next step; nil at the end.
    private func nextStep() -> PlayPhase.Step? {
        state.await { now in
            if now.hasEnded { return .done(nil) }
            switch now.phase.next(now: MonotonicClock.now) {
            case .step(let step): return .done(step)
            case .wait(let deadline): return .wait(0, until: deadline)
            }
        }
    }
}
