import Durations
import GStreamer
import MonitorEngine
import MonitorPolicy
import Threads

/// One run of the monitor, from READY to PAUSED and back: probes, figures, and a thread that reads them.
///
/// Threads: the thread `perfmonitor` reads and writes figures. Before its start and after its end, the thread that
/// starts or stops the element does so. Locks: `isOver` orders changes of `enabled`, `state` guards the figures, and a
/// mutex of `MonitorOutputs` guards the files. Lock order: `isOver`, `state`, the mutex of the report. No mutex is
/// locked while a message is posted, a signal is emitted or an event is sent. No streaming thread locks a mutex.
final class MonitorSession: Sendable {
    private struct State: Sendable {
        var settings: PerformanceMonitorSettings
        var revision: UInt64 = 0
        var book: PipelineBook
        var votes: VoteLadder
        var warned: Set<String> = []
        var rounds = 0
        /// Last readings, for the figures between two rounds.
        var readings: [ElementReading] = []
        var process = ProcessFigures()
        /// Time at which `enabled` became false; nil while it is true.
        var suspended: UInt64?
        /// Changes of alerts that are not yet announced, oldest first.
        var unannounced: [AlertEvent] = []
        var isAnnouncing = false
    }

    private static let interval = Duration.seconds(1)
    /// Pauses between the readings of the first second, so that clients of the server receive figures early.
    private static let firstIntervals: [Duration] = [.milliseconds(100), .milliseconds(200), .milliseconds(300)]
    /// Number of rounds after which targets that match no element are reported; a shorter run reports them at its end.
    private static let roundsUntilWarning = 5

    private let host: ElementHost
    private let emitsSignal: Bool
    private let report: PerformanceMonitorReport
    private let tap: PipelineTap
    private let reader = PipelineReader()
    private let state: Mutex<State>
    private let worker = Mutex<Worker?>(nil)
    private let outputs = Mutex<MonitorOutputs?>(nil)
    /// Whether the session has ended.
    ///
    /// The mutex is locked while probes are added or removed, so that concurrent changes of `enabled` take effect one
    /// after the other, and the last one wins.
    private let isOver = Mutex(false)

    var dashboardURL: String? { outputs.withLock { $0 }?.url }

    /// Creates a session whose messages `host` posts; `emitsSignal` is set if `host` is a `perfmonitor`.
    init(
        _ host: ElementHost, _ settings: PerformanceMonitorSettings, _ tap: PipelineTap,
        _ report: PerformanceMonitorReport, emitsSignal: Bool
    ) {
        self.host = host
        self.emitsSignal = emitsSignal
        self.report = report
        self.tap = tap
        state = Mutex(
            State(
                settings: settings,
                book: PipelineBook(
                    name: tap.name, targets: settings.targets, showsAll: settings.elements != nil,
                    now: Duration(nanoseconds: tap.now)),
                votes: VoteLadder(monitor: host.name)))
    }

    /// Adds the probes and starts the thread; with `tolerate`, omits an output that cannot be opened.
    func start(tolerate: ((ElementError) -> Void)? = nil) throws(ElementError) {
        let settings = state.withLock { $0.settings }
        let outputs = try MonitorOutputs(settings, pipeline: tap.name, tolerate: tolerate)
        self.outputs.withLock { $0 = outputs }
        followEnabled()
        preview()
        let started = Worker.start("perfmonitor") { [self] in
            for pause in Self.firstIntervals where sleep(for: pause) { preview() }
            guard sleep(for: Self.interval - Self.firstIntervals.reduce(.zero, +)) else { return }
            repeat { round() } while sleep(for: Self.interval)
        }
        guard let started else {
            throw .resource(.failed, "No thread can be started for the figures of the pipeline.")
        }
        worker.withLock { $0 = started }
    }

    /// Applies properties that change while the pipeline plays.
    func apply(_ settings: PerformanceMonitorSettings, revision: UInt64) {
        let hasChanged = state.withLock { state -> Bool in
            guard revision > state.revision else { return false }
            state.revision = revision
            let before = state.settings
            state.settings = settings
            if settings.isEnabled != before.isEnabled { state.suspended = settings.isEnabled ? nil : tap.now }
            if settings.action != before.action || !settings.isEnabled {
                state.votes.reset(now: Duration(nanoseconds: tap.now))
            }
            if settings.targets != before.targets { state.unannounced += state.book.replace(settings.targets) }
            return settings.isEnabled != before.isEnabled
        }
        announce()
        if hasChanged { followEnabled() }
    }

    private func followEnabled() {
        isOver.withLock { isOver in
            guard !isOver else { return }
            if state.withLock({ $0.settings.isEnabled }) { tap.start() } else { tap.suspend() }
        }
    }

    /// Begins a quiet time until the next frame.
    func pause() { tap.pause() }

    func resume() { tap.resume() }

    func stop() {
        tap.changes.end()
        worker.withLock { worker in
            defer { worker = nil }
            return worker
        }?.join()
        reader.stop()
        round(isLast: true)
        end()
    }

    /// Reverts a `start` that failed.
    func abandon() {
        tap.changes.end()
        reader.stop()
        end()
    }

    private func end() {
        isOver.withLock { isOver in
            isOver = true
            tap.stop()
        }
        outputs.withLock { $0 }?.close()
    }

    /// Sleeps, and refreshes the tap when elements, pads or links are added; returns false after the end.
    private func sleep(for time: Duration) -> Bool {
        tap.changes.sleep(for: time) { if state.withLock({ $0.settings.isEnabled }) { tap.refresh() } }
    }

    // MARK: Between two rounds

    /// Current figures, or those at the time when `enabled` became false; nil before the first reading.
    ///
    /// Any thread may read this property, because it locks no mutex of an element and reads no file. Values that
    /// elements report, and the figures of the process, are those of the last round.
    var current: MonitorSnapshot? {
        let (book, readings, process, suspended) = state.withLock {
            ($0.book, $0.readings, $0.process, $0.suspended)
        }
        guard !readings.isEmpty else { return nil }
        var snapshot = book.preview(
            PipelineReader.recount(tap, readings), process: process, now: Duration(nanoseconds: suspended ?? tap.now))
        snapshot.clock = WallClock.seconds
        return snapshot
    }

    /// Reads all figures before the first round, and publishes them to clients of the server.
    private func preview() {
        guard state.withLock({ $0.settings.isEnabled }) else { return }
        tap.refresh()
        let (readings, process) = reader.read(tap, isLast: false)
        state.withLock { ($0.readings, $0.process) = (readings, process) }
        guard let snapshot = current else { return }
        report.publish(snapshot)
        outputs.withLock { $0 }?.publish(snapshot)
    }

    // MARK: Once a second

    private func round(isLast: Bool = false) {
        guard state.withLock({ $0.settings.isEnabled }) || isLast else { return }
        tap.refresh()
        let (readings, process) = reader.read(tap, isLast: isLast)
        let now = Duration(nanoseconds: tap.now)
        let (snapshot, events, warnings, votes, settings) = state.withLock { state in
            var (snapshot, events) = state.book.tick(readings, process: process, now: now, isLast: isLast)
            snapshot.clock = WallClock.seconds
            (state.readings, state.process) = (readings, process)
            state.unannounced += events
            let votes =
                state.settings.action == .vote && state.settings.isEnabled && !isLast
                ? state.votes.tick(state.book.alerts, in: state.book.condition, now: now) : []
            // The figures are published before a thread can announce the alerts, because a receiver may read `alerts`.
            report.publish(snapshot)
            return (snapshot, events, newWarnings(&state, isLast: isLast), votes, state.settings)
        }
        // Requests are sent before the files are written, because a write may block so long that requests expire.
        for vote in votes { send(vote, readings) }
        let failures = outputs.withLock { $0 }?.write(snapshot, events, settings, isLast: isLast) ?? []
        for warning in warnings + failures { host.post(warning: warning) }
        announce(waitsForTurn: !isLast)
    }

    /// Sends a request from its element, or from all sinks if the request is about the pipeline.
    private func send(_ vote: VoteLadder.Vote, _ readings: [ElementReading]) {
        let sender = readings.first { $0.isPresent && $0.name == vote.element }?.id
        if sender != nil || vote.element == Target.pipeline { tap.sendUpstream(vote.event, from: sender) }
    }

    /// Posts and emits the changes of alerts in order, regardless of the thread that found them.
    ///
    /// One thread announces at a time, without a mutex. Other threads, such as one that replaces the targets in a
    /// message handler, leave their changes to this thread. At the end, the thread that stops the element announces the
    /// rest without waiting, because messages after the state change are lost.
    private func announce(waitsForTurn: Bool = true) {
        var waitsForTurn = waitsForTurn
        while let event = nextToAnnounce(waitsForTurn: waitsForTurn) {
            waitsForTurn = false
            let structure = event.structure
            host.post(structure)
            if emitsSignal { host.emit(PerformanceMonitor.performanceAlert, .structure(structure)) }
        }
    }

    private func nextToAnnounce(waitsForTurn: Bool) -> AlertEvent? {
        state.withLock { state in
            if waitsForTurn && state.isAnnouncing { return nil }
            state.isAnnouncing = !state.unannounced.isEmpty
            return state.isAnnouncing ? state.unannounced.removeFirst() : nil
        }
    }

    private func newWarnings(_ state: inout State, isLast: Bool) -> [ElementError] {
        var warnings: [ElementError] = []
        for limit in state.book.unmeasured where state.warned.insert("\(limit)").inserted {
            warnings.append(
                .resource(
                    .settings, "The target \(limit.metric.rawValue) of \(limit.element) has no value on this machine.",
                    debug: "The limit is ignored; memory and energy belong to the target \"pipeline\"."))
        }
        // Elements may be added in the first rounds. At the end, a message may be lost, because the bus is flushed.
        state.rounds += 1
        if isLast || state.rounds == Self.roundsUntilWarning {
            for name in state.book.unmatchedTargets where state.warned.insert("target \(name)").inserted {
                warnings.append(
                    .resource(
                        .settings,
                        "No element of the pipeline was called \"\(name)\", so its targets were not checked.",
                        debug: "Use a name, a factory or a kind (source, sink, encoder, decoder, queue)."))
            }
        }
        return warnings
    }
}
