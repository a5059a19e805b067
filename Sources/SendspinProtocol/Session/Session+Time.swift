import Durations

extension Session {
    /// Estimate of the server clock; nil before the first burst.
    var estimate: ClockEstimate? { clock?.clock.estimate }

    /// Whether the client may send messages.
    private var isRunning: Bool { phase.isActive && !isProvisional }

    /// Time at which `advance` must be called next; nil if nothing is due.
    public var deadline: Duration? {
        guard !phase.isClosed else { return nil }
        var times = [stepDeadline]
        if isRunning {
            times += [
                clock?.clock.deadline, reporter.deadline, pairing.pending?.deadline, metadata.deadline(estimate),
                images.deadline(estimate), palette.deadline(estimate), visualizer.deadline(estimate),
            ]
        }
        return times.compactMap { $0 }.min()
    }

    mutating func pass(to now: Duration) throws(SessionFailure) {
        if let stepDeadline, now >= stepDeadline {
            // An attempt to pair may have extended the step, and ends with it.
            if isRunning { try expirePairing(at: now) }
            let failure = SessionFailure(
                .timeout,
                "The server did not send \(phase.description) within "
                    + "\(configuration.limits.stepTimeout.components.seconds) s.")
            if phase.isActive { try end(.goodbye(.anotherServer), failure) }
            throw failure
        }
        guard isRunning else { return }
        // The time request is sent first, because it contains the time of its transmission.
        if let (request, change) = clock?.clock.advance(to: now) {
            if let request { try transmit(.time(request)) }
            try note(change)
        }
        showDue(at: now)
        try expirePairing(at: now)
        try report(at: now)
    }

    /// Whether messages behind `chunk` may be read later, because it is due more than `lead` after `now`.
    ///
    /// The reply to a time request must be read when it arrives, and lights may be shown then.
    public func mayWait(behind chunk: AudioChunk, at now: Duration, lead: Duration) -> Bool {
        guard let clock = clock?.clock, let estimate = clock.estimate, !clock.isExchanging,
            chunk.timestamp - player.outputDelay - estimate.serverTime(at: now) > lead
        else { return false }
        return !roles.contains(.visualizer) && !roles.contains(.color)
    }

    mutating func takeTime(_ exchange: TimeExchange) throws(SessionFailure) {
        guard isRunning, let change = clock?.clock.replyArrived(exchange) else { return }
        try note(change)
        showDue(at: exchange.arrived)
        try report(at: exchange.arrived)
    }

    private mutating func note(_ change: ServerClock.Change) throws(SessionFailure) {
        switch change {
        case .none: break
        case .updated(let estimate): emit(.clock(estimate, isConverged: clock?.clock.isConverged ?? false))
        case .stepped(let estimate):
            counters.clockSteps += 1
            visualizer.clockStepped()
            emit(.clockStepped(estimate))
        case .erratic:
            throw .violation(
                "its answers to client/time are not the times of a clock, which runs at the rate of this one")
        }
    }

    mutating func report(at now: Duration) throws(SessionFailure) {
        guard isRunning else { return }
        let state = reporter.advance(
            to: now, player: player, source: source, roles: roles, configuration: configuration,
            isConverged: clock?.clock.isConverged ?? false)
        if let state { try transmit(.state(state)) }
    }

    mutating func showDue(at now: Duration) {
        if let metadata = metadata.advance(to: now, estimate) { emit(.metadata(metadata)) }
        for (channel, image) in images.advance(to: now, estimate) { emit(.artwork(channel: channel, image: image)) }
        if let palette = palette.advance(to: now, estimate) { emit(.palette(palette)) }
        for frame in visualizer.advance(to: now, estimate) { emit(.visualizer(frame)) }
        counters.visualizerDropped = visualizer.droppedCount
    }
}
