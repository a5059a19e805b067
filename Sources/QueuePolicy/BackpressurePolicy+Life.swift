import Durations

// Start, flush and end of a stream.

extension BackpressurePolicy {
    /// The queue was emptied, after `queuedDropped` for each of its frames.
    public mutating func flushed() {
        level = LevelMeter()
        keyUnits.reset()
        isWaitingForCredit = false
        isClearing = false
        forgetExits()
        overload.forgetDelay()
        if isPaused { playback = .prerolling }
        inFlightLimit.flushed()
        stream.discontinued()
    }

    /// A new stream starts.
    public mutating func begin() {
        inFlightLimit.reset()
        overload.reset()
        stream = StreamFacts()
        isWaitingForCredit = false
        isClearing = false
        forgetExits()
        isLive = false
        playback = .prerolling
    }

    private mutating func forgetExits() {
        hasOverflowed = false
        (overflowingExits, standsSince, releasesWhileStanding) = (0, .zero, 0)
    }

    /// The element returned to PLAYING; time in PAUSED does not count as delay.
    public mutating func resumed(now: Duration) {
        playback = .playing
        overload.forgetDelay()
        inFlightLimit.pushReturned(now: now)
    }

    /// Sizes, drop policy or liveness changed; ends an overload if frames are no longer dropped by their delay.
    public mutating func rulesChanged() {
        isClearing = false
        if !dropsByDelay, overload.isOverloaded {
            overload.reset()
            inFlightLimit.overloadEnded(now: inFlightLimit.rate.lastAt ?? .zero)
        }
    }

    /// A GAP event entered; `start` and `end` are running times.
    public mutating func gapEntered(from start: Duration?, to end: Duration?) {
        if start != nil { level.timePassedEntrance(from: start, to: end) }
    }
}
