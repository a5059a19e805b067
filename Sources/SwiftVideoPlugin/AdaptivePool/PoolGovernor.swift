import GStreamer
import MachineSensors
import MachineState
import StreamControl

/// Looks after one activation of a pool: looks at it and at the machine, decides, and says what changed.
///
/// It belongs to a thread of its own, since it makes buffers.
struct PoolGovernor: ~Copyable {
    /// How long heat, short memory and new settings may go unnoticed, however long a window is.
    static let lookInterval: UInt64 = 500_000_000

    private let kind: AdaptiveBufferPool
    private let run: PoolRun
    private let began = Monotonic.now
    private var windowBegan: UInt64
    private var lookedAt: UInt64
    private var countsAtWindow = PoolCounts()
    private var sensing: MachineSensors.Use?
    /// There is at most one message per window.
    private var hasAnnounced = false
    private var limitWatch = LimitWatch()

    init(_ kind: AdaptiveBufferPool, _ run: PoolRun) {
        self.kind = kind
        self.run = run
        windowBegan = began
        lookedAt = began
    }

    deinit { if let sensing { run.sensors.endUse(sensing) } }

    /// Goes on until the pool is stopped.
    mutating func work() {
        // The first reading takes a moment.
        _ = readMachine(run.settings, began)
        while run.alarm.sleep(nanoseconds: pause), look() {}
    }

    private var pause: UInt64 {
        let (window, passed) = (run.settings.windowNanoseconds, Monotonic.now &- windowBegan)
        return window > passed ? min(window - passed, Self.lookInterval) : 0
    }

    /// Returns false when the pool has been stopped, or even started anew, meanwhile.
    private mutating func look() -> Bool {
        let now = Monotonic.now
        let settings = run.settings
        // Sleep is counted in whole microseconds.
        let isWindowOver = (now &- windowBegan) &+ 1000 >= settings.windowNanoseconds
        let counts = isWindowOver ? kind.pool.endWindow() : kind.pool.counts
        let machine = readMachine(settings, now)
        let window = PoolWindow(
            size: counts.size, peakInUse: counts.peakInWindow, inUse: counts.inUse,
            acquires: Int(clamping: counts.acquires &- countsAtWindow.acquires),
            stalls: Int(clamping: counts.stalls &- countsAtWindow.stalls),
            memory: machine.memory, heat: machine.heat)
        let rules = settings.rules(for: run.needs)
        let time = Duration.nanoseconds(Int64(clamping: now &- began))
        guard let decision = kind.decide(run, window, isWindowOver: isWindowOver, rules, at: time) else { return false }
        carryOut(decision, settings)
        record(decision, counts, now, isWindowOver: isWindowOver)
        if decision.hasOpenedBreaker {
            kind.announceBreaker(run, kind.pool.counts.size, isLimitOfUser: rules.exceedableTo == nil)
        }
        limitWatch.looked(kind, run, counts, finalCap: rules.sane.finalCap, at: time)
        if let owner = run.owner { owner.report.tellContradictions(of: settings, to: owner.host) }
        if isWindowOver {
            windowBegan = now
            countsAtWindow = counts
            hasAnnounced = false
        }
        return true
    }

    /// What counts of the machine's state, given the settings; nobody reads what nobody wants to know.
    private mutating func readMachine(
        _ settings: AdaptivePoolSettings, _ now: UInt64
    ) -> (memory: MemoryState, heat: ThermalLevel) {
        let minds = settings.minds
        if !minds.memory, !minds.heat {
            if let sensing { run.sensors.endUse(sensing) }
            sensing = nil
            return (.unknown, .unknown)
        }
        if sensing == nil { sensing = run.sensors.beginUse() }
        let state = run.sensors.state(now: .nanoseconds(Int64(clamping: now)))
        return (minds.memory ? state.memory : .unknown, minds.heat ? state.heat : .unknown)
    }

    private func carryOut(_ decision: PoolDecision, _ settings: AdaptivePoolSettings) {
        if case .resize(let size, _) = decision.action {
            kind.pool.resize(to: size, limit: decision.limit, in: run.activation)
        }
        kind.pool.allow(upTo: decision.limit, whenEmpty: settings.onEmpty.plan, in: run.activation)
    }

    private mutating func record(
        _ decision: PoolDecision, _ counts: PoolCounts, _ now: UInt64, isWindowOver: Bool
    ) {
        let after = kind.pool.counts
        let length = Duration.nanoseconds(Int64(clamping: now &- lookedAt))
        lookedAt = now
        let change: PoolLedger.Change? = kind.state.withLock { state in
            state.ledger.observed(size: counts.size, bytesInBuffer: counts.bytesInBuffer, for: length)
            state.ledger.told(decision.action, of: counts.size)
            guard !hasAnnounced else { return nil }
            return isWindowOver
                ? state.ledger.settled(size: after.size, after: decision.action)
                : state.ledger.settled(from: counts.size, to: after.size, after: decision.action)
        }
        guard let change else { return }
        hasAnnounced = true
        kind.announce(run, change, after, decision)
    }
}

/// What is to be done with a pool.
struct PoolDecision {
    var action: PoolAction
    var limit: Int
    var forecast: Double
    var hasOpenedBreaker: Bool
}
