import GStreamer
import StreamControl

extension AdaptiveBufferPool {
    static let log = DebugCategory("adaptivepool", "A buffer pool that follows the load")

    /// Looks after the pool, window by window, until its alarm ends; on a thread of its own.
    func govern(_ run: PoolRun) {
        run.sensors.beginUse()
        defer { run.sensors.endUse() }
        var before = PoolCounts()
        var windowBegan = Monotonic.now
        let began = windowBegan
        var hasWarnedOfLimit = false
        while run.alarm.sleep(nanoseconds: run.settings.windowNanoseconds) {
            let settings = run.settings
            let now = Monotonic.now
            let counts = pool.endWindow()
            let sensed = run.sensors.state(now: now)
            let window = PoolWindow(
                size: counts.size, peakInUse: counts.peakInWindow, inUse: counts.inUse,
                acquires: Int(clamping: counts.acquires &- before.acquires),
                stalls: Int(clamping: counts.stalls &- before.stalls),
                memory: settings.minds.memory ? sensed.memory : .unknown,
                heat: settings.minds.heat ? sensed.heat : .unknown)
            let time = Duration.nanoseconds(Int64(clamping: now &- began))
            // The pool may have been stopped, and even started anew, meanwhile.
            guard let decision = decide(run, window, settings.rules(for: run.needs), at: time) else { return }
            if case .resize(let size, _) = decision.action { pool.resize(to: size, limit: decision.limit) }
            pool.allow(upTo: decision.limit, resting: decision.isResting, whenEmpty: settings.onEmpty.plan)

            let after = pool.counts
            let change = state.withLock {
                $0.ledger.windowEnded(
                    size: after.size, bytesInBuffer: after.bytesInBuffer,
                    length: .nanoseconds(Int64(clamping: now &- windowBegan)))
            }
            if let change { announce(run, from: change, after, decision) }
            if decision.hasOpenedBreaker { announceBreaker(run, after.size) }
            if counts.hitLimit, !hasWarnedOfLimit, counts.size >= decision.cap {
                hasWarnedOfLimit = true
                announceLimit(run, counts, run.watch?.oldestHolder())
            }
            before = counts
            windowBegan = now
        }
    }

    private struct Decision {
        var action: PoolAction
        var limit: Int
        var cap: Int
        var isResting: Bool
        var forecast: Double
        var hasOpenedBreaker: Bool
    }

    /// Nil when `run` is over.
    private func decide(
        _ run: PoolRun, _ window: PoolWindow, _ rules: PoolRules, at now: Duration
    ) -> Decision? {
        state.withLock { state in
            guard state.run === run else { return nil }
            let before = state.controller.breaker
            state.controller.rulesChanged(rules)
            let action = state.controller.windowEnded(window, at: now)
            let limit = state.controller.mayGrowTo
            return Decision(
                action: action, limit: limit, cap: rules.cap, isResting: limit < rules.cap,
                forecast: state.controller.forecast,
                hasOpenedBreaker: before != .open && state.controller.breaker == .open)
        }
    }

    // MARK: - What the application hears

    private func announce(_ run: PoolRun, from old: Int, _ counts: PoolCounts, _ decision: Decision) {
        var reason = ResizeReason.demand
        if case .resize(_, let why) = decision.action { reason = why }
        Self.log.info(nil, "\(old) -> \(counts.size) buffers, \(counts.inUse) in use: \(reason.rawValue)")
        run.owner?.host.lend { host in
            host.post(
                Structure(
                    "adaptive-pool-resized",
                    [
                        "old": .uint(UInt32(clamping: old)), "new": .uint(UInt32(clamping: counts.size)),
                        "outstanding": .uint(UInt32(clamping: counts.inUse)), "forecast": .double(decision.forecast),
                        "reason": .string(reason.rawValue),
                    ]))
        }
    }

    private func announceBreaker(_ run: PoolRun, _ size: Int) {
        run.owner?.host.lend { host in
            host.post(
                warning: .resource(
                    .busy, "More than one frame in ten has waited for a buffer; the pool stays at its largest for now.",
                    debug: "It has \(size) buffers. It will try to adapt again by and by."))
        }
    }

    private func announceLimit(_ run: PoolRun, _ counts: PoolCounts, _ holder: String?) {
        let who = holder.map { "; \($0) holds the oldest" } ?? ""
        run.owner?.host.lend { host in
            host.post(
                warning: .resource(
                    .busy, "All \(counts.size) buffers that there may be are in use\(who).",
                    debug: "Frames wait until one comes back. Raise max-buffers if that is too few."))
        }
    }

    var statistics: Structure {
        let counts = counts
        let (times, ledger, forecast, breaker) = state.withLock {
            ($0.times, $0.ledger, $0.controller.forecast, $0.controller.breaker)
        }
        let bytes = UInt64(max(counts.size, 0)) &* UInt64(max(counts.bytesInBuffer, 0))
        let bytesUsed = UInt64(max(counts.peak, 0)) &* UInt64(max(counts.bytesInBuffer, 0))
        return Structure(
            "application/x-adaptivepool-stats",
            [
                "acquires": .uint64(counts.acquires), "grown-in-acquire": .uint64(counts.grown),
                "stalls": .uint64(counts.stalls), "stall-time": .uint64(counts.stallNanoseconds),
                "dropped": .uint64(counts.thrownAway), "discarded": .uint64(counts.discarded),
                "failures": .uint64(counts.failures), "acquire-time-p50": .uint64(times.percentile(0.5)),
                "acquire-time-p99": .uint64(times.percentile(0.99)),
                "acquire-time-max": .uint64(times.longestNanoseconds), "grows": .uint64(ledger.grows),
                "shrinks": .uint64(ledger.shrinks), "bytes": .uint64(bytes),
                "bytes-mean": .uint64(ledger.lastSize == nil ? bytes : UInt64(ledger.meanBytes)),
                "bytes-peak": .uint64(max(ledger.peakBytes, bytesUsed)), "forecast": .double(forecast),
                "breaker": .string(breaker.rawValue),
            ])
    }
}
