import GStreamer
import ThermalPolicy
import Synchronization

/// The thread of `thermalcaps` that looks at the sensors and decides.
///
/// Locks, none of which is taken while another is held: `plan` (shared with the streaming thread), `state` (shared with
/// who sets properties, votes and changes states), the report's.
final class ThermalControl: Sendable {
    let host: ElementHost
    let stream: ShapedStream
    let report = ThermalCapsReport()
    let plan = Mutex(StreamPlan())

    private struct State {
        var settings = ThermalCapsSettings()
        var revision: UInt64 = 0
        var climb = LadderClimb()
        var isRunning = false
        /// Ends the sleep between two rounds.
        var alarm: Alarm?
        /// Over when the thread has ended.
        var finish: Alarm?
        var thread: UInt?
        var hasToldDuration = false
    }

    private let state = Mutex(State())
    static let log = DebugCategory(ThermalCaps.factoryName, "Quality by temperature")

    init(host: ElementHost, stream: ShapedStream) {
        self.host = host
        self.stream = stream
    }

    /// Time, for decisions.
    static var now: Duration { .nanoseconds(Int64(clamping: Monotonic.now)) }

    var settings: ThermalCapsSettings { state.withLock { $0.settings } }

    // MARK: From any thread

    func apply(_ settings: ThermalCapsSettings, revision: UInt64) {
        state.withLock { state in
            guard revision > state.revision else { return }
            state.revision = revision
            state.settings = settings
        }
        wake()
    }

    /// Takes a vote; false for other events, and while nothing is done.
    func heard(_ event: CustomEvent) -> Bool {
        guard ["quality-degrade", "quality-restore"].contains(event.name) else { return false }
        let reason = String((event.reason ?? "unknown").prefix(64))
        let now = Self.now
        let isHeard = state.withLock { state in
            guard state.isRunning, state.settings.isEnabled else { return false }
            switch (event.name, event.duration) {
            case ("quality-restore", _): state.climb.restore(reason)
            case (_, .unlimited): state.climb.degrade(reason)
            case (_, .nanoseconds(let time)):
                state.climb.degrade(reason, until: now + .nanoseconds(Int64(clamping: time)))
            case (_, .useless): break
            }
            return true
        }
        guard isHeard else { return false }
        if event.name == "quality-degrade", case .useless(let text) = event.duration { refuse(duration: text) }
        wake()
        return true
    }

    private func refuse(duration text: String) {
        let isFirst = state.withLock { state in
            defer { state.hasToldDuration = true }
            return !state.hasToldDuration
        }
        guard isFirst else { return }
        host.post(
            warning: .settings(
                "A quality-degrade was not heard, because its duration=\(text) is no time.",
                debug:
                    "Send nanoseconds above 0, as in duration=(guint64)30000000000, or no duration. This is said once."
            ))
    }

    /// Takes one look at `climb` under its lock.
    func withClimb<Result: Sendable>(_ body: (inout LadderClimb) -> Result) -> Result {
        state.withLock { body(&$0.climb) }
    }

    // MARK: States

    func start(_ settings: ThermalCapsSettings) throws(ElementError) {
        let finish = Alarm()
        let previous = state.withLock { state in
            let previous = state.finish
            state.settings = settings
            state.climb = LadderClimb()
            state.hasToldDuration = false
            state.isRunning = true
            state.alarm = Alarm()
            state.finish = finish
            return previous
        }
        plan.withLock { $0.reset() }
        stream.setRefusing(false)
        stream.setPaced(false)
        let element = Mutex(Optional(host.retained()))
        let hasStarted = Background.start("thermalcaps") { [self] in
            // Who restarts the pipeline in answer to a message of the thread before is that thread.
            while let previous, previous.sleep(nanoseconds: 1_000_000_000) {}
            run(until: finish)
            // Who waits for the end may be the last to let the element go.
            element.withLock { $0 = nil }
            finish.end()
        }
        guard hasStarted else {
            state.withLock { $0.isRunning = false }
            finish.end()
            throw .resource(.failed, "There is no thread for \(ThermalCaps.factoryName).")
        }
    }

    /// Lets the thread go; what waits for it comes later, when nothing of the stream holds it up any more.
    func beginStop() {
        let alarm = state.withLock { state in
            state.isRunning = false
            return state.alarm
        }
        alarm?.end()
    }

    func finishStop() {
        let (finish, thread) = state.withLock { ($0.finish, $0.thread) }
        // Who stops the pipeline in answer to a message of this thread is this thread.
        guard thread != Background.currentThread else { return }
        while let finish, finish.sleep(nanoseconds: 1_000_000_000) {}
    }

    // MARK: The thread

    private func run(until finish: Alarm) {
        state.withLock { $0.thread = Background.currentThread }
        var round = ThermalRound(self)
        while let alarm = state.withLock({ $0.isRunning && $0.finish === finish ? $0.alarm : nil }) {
            let due = round.run()
            // A reading comes sooner than the second, unless the sensors hang.
            let sleep = Self.sleep(until: due, now: Self.now, longest: settings.pollInterval * 2)
            if alarm.sleep(nanoseconds: sleep) { continue }
            state.withLock { if $0.isRunning { $0.alarm = Alarm() } }
        }
        round.finish()
        state.withLock { $0.thread = nil }
    }

    /// Nanoseconds to the next round: a step comes when it is due.
    static func sleep(until due: Duration?, now: Duration, longest: UInt64) -> UInt64 {
        // A vote may end in centuries, which are no number of nanoseconds.
        guard let due, due - now < .nanoseconds(Int64(clamping: longest)) else { return longest }
        return min(longest, UInt64(max(.milliseconds(1), due - now) / .nanoseconds(1)))
    }

    /// Has everything looked at now.
    func wake() { state.withLock { $0.alarm }?.end() }
}
