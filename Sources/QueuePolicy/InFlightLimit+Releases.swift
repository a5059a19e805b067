import Durations

// Measurement of releases, and the limit during an overload.

extension InFlightLimit {
    /// A frame that was pushed at `pushedAt` was released; `inFlight` frames remain.
    public mutating func frameReleased(pushedAt: Duration, at time: Duration, inFlight: UInt32) {
        rate.frameReleased(at: time)
        idleSince = max(idleSince, time)
        switch phase {
        case .open(let tried): if tried != nil { trial.frameReleased(pushedAt: pushedAt, at: time) }
        case .draining: if inFlight == 0 { endDrain(keeping: 0, time) }
        case .measuring(let kept, let since, var samples, var longest):
            guard pushedAt >= since, time >= pushedAt else { return }
            samples += 1
            longest = max(longest, time - pushedAt)
            guard samples >= 2 else {
                phase = .measuring(kept: kept, since: since, samples: samples, longest: longest)
                return
            }
            limit(to: kept, time: longest, now: time)
        case .limited(let from, let count, let tried):
            guard count + 1 >= Self.windowFrames else {
                phase = .limited(from: from, count: count + 1, triedInterval: tried)
                return
            }
            rateMeasured(max(time - from, .zero) / Int(Self.windowFrames), tried, time)
        }
    }

    /// Sets the limit to rate x time, but at least to `kept`: the number of frames that downstream keeps, plus one.
    mutating func limit(to kept: UInt32, time: Duration, now: Duration) {
        let shortest = Duration.nanoseconds(1)
        let interval = min(max(bestInterval ?? shortest, shortest), Self.longestPatience)
        // Adds 0.1 frame for jitter.
        let needed = min(time.inSeconds / interval.inSeconds, Double(max(limitBefore, kept, 2))) + 0.1
        limit = max(UInt32(needed), kept)
        fraction = max(0, needed - Double(limit))
        backOff = 1
        phase = .limited(from: now, count: 0, triedInterval: nil)
        drainAgainAt = now + drainAgainAfter
        drainAgainAfter = min(drainAgainAfter * 2, Self.lastDrainAgain)
    }

    /// Evaluates the mean time between releases in one window, during which frames always waited.
    mutating func rateMeasured(_ interval: Duration, _ tried: Duration?, _ now: Duration) {
        let best = bestInterval ?? interval
        var next: Duration?
        if let tried {
            // The larger limit stays only if the time between releases fell by more than 7 %.
            if interval.inSeconds < 0.93 * tried.inSeconds {
                bestInterval = min(best, interval)
                // The gain may be accidental, so the limit is measured again soon.
                drainAgainAt = min(drainAgainAt, now + Self.firstDrainAgain)
            } else {
                limit = max(limit - 1, 1)
                bestInterval = interval
            }
        } else if interval.inSeconds > 1.2 * best.inSeconds, limit < Self.most {
            next = interval
            limit += 1
        } else {
            // `bestInterval` follows slow changes of the rate.
            bestInterval = interval > best ? best + ((interval - best) / 8) : best - ((best - interval) / 8)
        }
        phase = .limited(from: now, count: 0, triedInterval: next)
        if next == nil, now >= drainAgainAt { beginDrain(now) }
    }

    // MARK: Overload

    /// The delay persists; returns true in an overload, which is when a higher limit does not make releases faster.
    ///
    /// `interval` is the mean time between releases, nil without a release.
    mutating func queueStands(inFlight: UInt32, waiting: UInt32, interval: Duration?, now: Duration) -> Bool {
        guard case .open(let tried) = phase else { return true }
        // With fewer frames in flight, the limit was just raised, so the measured delay arose under the old limit.
        guard inFlight &+ 1 >= limit else { return false }
        guard let interval else {
            // Downstream released no frame, perhaps because it requires more frames first. It need not be slow.
            limit = min(max(limit, inFlight) &+ max(waiting, 1), Self.most)
            return false
        }
        // If raising the limit by `mostTried` frames did not help, downstream is slow.
        guard limit < floor &+ Self.mostTried else {
            bestInterval = min(interval, bestInterval ?? interval)
            return true
        }
        if let tried {
            guard let measured = trial.interval(limit) else { return false }
            guard measured.inSeconds < 0.9 * tried.inSeconds else {
                bestInterval = min(measured, tried)
                return true
            }
            phase = .open(triedInterval: measured)
        } else {
            phase = .open(triedInterval: interval)
        }
        trial = GrowthTrial(since: now)
        limit = min(max(limit, inFlight) &+ max(limit / 2, 1), Self.most)
        return false
    }

    var hasTrialResult: Bool {
        if case .open(.some) = phase { trial.interval(limit) != nil } else { false }
    }

    /// Downstream is slower than the stream, so the limit must be measured.
    public mutating func overloadBegan(now: Duration) {
        backOff = 1
        drainAgainAfter = Self.firstDrainAgain
        beginDrain(now)
    }

    /// Downstream is fast enough again; the measured rate is kept, for comparison when a delay persists again.
    public mutating func overloadEnded(now: Duration) {
        phase = .open(triedInterval: bestInterval)
        trial = GrowthTrial(since: now)
        limit = max(limit, floor)
    }

    mutating func beginDrain(_ now: Duration) {
        limitBefore = max(limit, 2)
        limit = 0
        idleSince = max(idleSince, now)
        phase = .draining(since: now)
    }

    mutating func endDrain(keeping inFlight: UInt32, _ now: Duration) {
        if bestInterval == nil { bestInterval = rate.perFrame }
        limit = min(inFlight, Self.most - 1) + 1
        phase = .measuring(kept: limit, since: now, samples: 0, longest: .zero)
    }

    /// The oldest frame in flight expired, so downstream keeps one more frame permanently.
    public mutating func frameExpired() {
        expired = min(expired + 1, Self.most)
        if isOpen { limit = max(limit, floor) }
    }

    /// The frames in flight were discarded by a flush and no longer count.
    public mutating func flushed() {
        if case .draining = phase { endDrain(keeping: 0, idleSince) }
    }

    /// A frame was released while others waited for credit; in the phase `open`, lowers the limit by one.
    mutating func releasedWhileWaiting() { if isOpen, limit > floor { limit -= 1 } }

    /// A frame left without a wait for credit; restarts the measurement of the rate, which requires that frames wait.
    mutating func frameLeftAtOnce(now: Duration) {
        if case .limited(_, _, let tried) = phase { phase = .limited(from: now, count: 0, triedInterval: tried) }
    }

    /// A new stream starts.
    public mutating func reset() { self = Self() }
}
