import Durations
import Threads

/// The thread that opens and closes the device of a `PlayLine`, in one run of the player.
///
/// Its mutex is a leaf lock: no element changes its state while the mutex is held.
final class PlayWorker: Sendable {
    private static let name = "sendspin-idle"

    private struct State {
        var phase = PlayPhase()
        var thread: UInt?
        var hasEnded = false
    }

    private let state = Monitor(State(), conditions: 1)
    private let forks = ForkCount.now

    /// `body` performs a step and reports its end; nil if the system cannot start a thread.
    init?(idleTimeout: Duration, _ body: @escaping @Sendable (PlayPhase.Step, PlayWorker) -> Void) {
        state.change { $0.phase.idleTimeout = idleTimeout }
        let worker = Worker.start(Self.name) { [self] in
            state.change { $0.thread = Worker.currentThread }
            while let step = nextStep() { body(step, self) }
        }
        if worker == nil { return nil }
    }

    @discardableResult
    func change<R>(_ body: (inout PlayPhase) -> R) -> R {
        state.change { now in
            defer { state.mutex.wake(0) }
            return body(&now.phase)
        }
    }

    var isAwake: Bool { state.change { $0.phase.place == .awake } }

    /// Whether the run has ended; a step must then return.
    var hasEnded: Bool { state.change { $0.hasEnded } }

    /// Prevents the next step, and waits for the end of the current one, except on the thread of the worker.
    func hold() { prevent { $0.phase.hold() } }

    func release() { change { $0.release() } }

    func end() { prevent { $0.hasEnded = true } }

    private func prevent(_ body: (inout State) -> Void) {
        let caller = Worker.currentThread
        state.change { now in
            body(&now)
            state.mutex.wake(0)
        }
        // A forked child does not have the thread of the worker, so a step in progress never ends there.
        guard forks == ForkCount.now else { return }
        state.await { now -> Monitor<State>.Step<Void> in
            now.phase.isMoving && now.thread != caller ? .wait(0, until: nil) : .done(())
        }
    }

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

/// Decides when the elements behind the source run and when they are in NULL.
///
/// The caller performs one step at a time, without a lock, and reports its end.
struct PlayPhase: Sendable {
    enum Place: Sendable, Equatable {
        /// The device is closed.
        case asleep
        case waking
        /// The device is open.
        case awake
        case fallingAsleep
    }

    enum Step: Sendable, Equatable {
        /// Open the device; the value is the number of the stream.
        case wake(Int)
        case sleep
    }

    enum Look: Sendable, Equatable {
        case step(Step)
        /// Wait until this time of the monotonic clock or until the phase changes; nil waits only for the phase.
        case wait(until: Duration?)
    }

    /// Shortest time until the next attempt to close the device.
    private static let shortestRetry = Duration.milliseconds(100)
    /// Largest playing time that delays the timeout after the loss of a server; the server's timestamps may be wrong.
    private static let longestRest = Duration.seconds(300)

    /// Time after the end of a stream until the device is closed.
    var idleTimeout = Duration.seconds(10)
    private(set) var place = Place.asleep
    /// Number of streams so far.
    private(set) var generation = 0
    /// Whether a stream requires the device.
    private var isWanted = false
    /// Number of calls of `hold` without `release`; no step begins until it is 0.
    private var holds = 0
    private var deadline: Duration?

    var isMoving: Bool { place == .waking || place == .fallingAsleep }

    // MARK: Events

    mutating func streamStarted() {
        generation += 1
        (isWanted, deadline) = (true, nil)
    }

    mutating func streamEnded(now: Duration) {
        isWanted = false
        deadline = after(now)
    }

    /// Handles the loss of the server of a stream; `remaining` is the playing time that waits in the source.
    ///
    /// After the loss of the server, no event reports the end of its stream.
    mutating func serverLost(at generation: Int, remaining: Duration, now: Duration) {
        // After the end of a stream, the timeout already runs.
        if isWanted, generation == self.generation { streamEnded(now: now + min(remaining, Self.longestRest)) }
    }

    mutating func hold() { holds += 1 }

    mutating func release() { holds -= 1 }

    /// Prevents the next step if the device is open; returns whether it is open.
    mutating func holdAwake() -> Bool {
        guard place == .awake else { return false }
        hold()
        return true
    }

    // MARK: Steps

    mutating func next(now: Duration) -> Look {
        if holds > 0 { return .wait(until: nil) }
        switch place {
        case .asleep where isWanted:
            place = .waking
            return .step(.wake(generation))
        case .awake where !isWanted:
            guard let deadline else { return .wait(until: nil) }
            guard now >= deadline else { return .wait(until: deadline) }
            place = .fallingAsleep
            return .step(.sleep)
        default: return .wait(until: nil)
        }
    }

    /// Notes the end of a `wake` step; a device that fails to open is tried again for the next stream.
    mutating func hasWoken(_ number: Int, isOpen: Bool) {
        place = isOpen ? .awake : .asleep
        if !isOpen, number == generation { isWanted = false }
    }

    /// Notes the end of a `sleep` step; after a failure, the next attempt follows after the timeout.
    mutating func hasFallenAsleep(_ isClosed: Bool, now: Duration) {
        place = isClosed ? .asleep : .awake
        deadline = isClosed ? nil : after(now).map { max($0, now + Self.shortestRetry) }
    }

    /// End of the timeout; nil for a timeout of 2^31 s or longer, which never ends.
    private func after(_ start: Duration) -> Duration? {
        idleTimeout < .seconds(1 << 31) ? start + max(idleTimeout, .zero) : nil
    }
}
