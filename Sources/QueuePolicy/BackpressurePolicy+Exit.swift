import Durations

// Decisions at the exit of the queue, and events of pushed frames.

extension BackpressurePolicy {
    /// Decides whether the oldest frame in the queue is pushed, is dropped or waits.
    ///
    /// `inFlight` is the number of frames in flight. `oldestPushedAt` is the push time of the oldest of them.
    public mutating func frameIsNext(
        _ frame: QueuedFrame, inFlight: Int, oldestPushedAt: Duration?, now: Duration
    ) -> Departure {
        guard decidesAtExit else {
            isWaitingForCredit = false
            return .push(frame.count)
        }
        let isNewest = level.buffers <= frame.count
        if limits.maxLatency > .zero, now - frame.enteredAt > limits.maxLatency, frame.isDroppable {
            return .drop(.late)
        }
        if let reason = dropAtExit(frame, isNewest: isNewest, now) { return .drop(reason) }
        let departure = admit(frame, inFlight, oldestPushedAt, now)
        guard case .push(let count) = departure else { return departure }
        if dropsByDelay, detectsOverload(frame, inFlight, now) {
            // An overload begins with this frame, so the shorter bounds of an overload already apply to it.
            if let reason = dropAtExit(frame, isNewest: isNewest, now) { return .drop(reason) }
            let again = admit(frame, inFlight, oldestPushedAt, now)
            guard case .push = again else { return again }
        }
        if !isWaitingForCredit { inFlightLimit.frameLeftAtOnce(now: now) }
        isWaitingForCredit = false
        // Without a limit the pushed frames do not count as in flight.
        if creditLimit != nil { counts.record(inFlight: UInt32(clamping: inFlight + Int(count))) }
        return .push(count)
    }

    private mutating func dropAtExit(_ frame: QueuedFrame, isNewest: Bool, _ now: Duration) -> DropReason? {
        guard dropsByDelay, leak == .downstream else { return nil }
        guard !isNewest, frame.isDroppable, let reason = overdue(frame, now: now) else {
            isClearing = false
            return nil
        }
        return reason
    }

    // MARK: Credit

    private mutating func admit(
        _ frame: QueuedFrame, _ inFlight: Int, _ oldestPushedAt: Duration?, _ now: Duration
    ) -> Departure {
        guard let limit = creditLimit else { return .push(frame.count) }
        if learnsLimit { return admitLearning(frame, UInt32(clamping: inFlight), oldestPushedAt, now) }
        let free = Int(limit) - inFlight
        if free > 0 { return .push(UInt32(clamping: min(Int(frame.count), free))) }
        isWaitingForCredit = true
        guard let expiry = expiry(oldestPushedAt) else { return .waitForCredit(until: nil) }
        return now >= expiry ? .expireOldest : .waitForCredit(until: expiry)
    }

    private mutating func admitLearning(
        _ frame: QueuedFrame, _ inFlight: UInt32, _ oldestPushedAt: Duration?, _ now: Duration
    ) -> Departure {
        if isPaused, inFlight >= max(inFlightLimit.limit, 1) {
            isWaitingForCredit = true
            return .waitForCredit(until: nil)
        }
        inFlightLimit.hasDeadline = stream.deadline != nil
        inFlightLimit.isEncoded = stream.kind == .groups
        let limit = inFlightLimit.limit
        let isNearlyFull = inFlight >= limit && isNearlyFull(frame, now)
        let admission = inFlightLimit.admit(
            inFlight: inFlight, waiting: level.buffers, frameDuration: stream.frameDuration,
            isNearlyFull: isNearlyFull, oldestPushedAt: oldestPushedAt, now: now)
        switch admission {
        case .push(let free):
            // The frames waited because the limit was too low, so their delay does not show that downstream is slow.
            if inFlightLimit.limit > limit { overload.forgetDelay() }
            return .push(min(frame.count, free))
        case .wait(let time):
            isWaitingForCredit = true
            // A release shows that downstream is slow but not stalled, so each release postpones the expiry.
            let quietSince = oldestPushedAt.map { max($0, inFlightLimit.rate.lastAt ?? $0) }
            guard let expiry = expiry(quietSince) else { return .waitForCredit(until: time) }
            guard now >= expiry,
                !inFlightLimit.isOpen
                    || inFlightLimit.isStuck(inFlight: inFlight, oldestPushedAt: oldestPushedAt, now: now)
            else { return .waitForCredit(until: time) }
            return .expireOldest
        }
    }

    /// Whether the queued bytes or the delay of `oldest` exceed 3/4 of the value at which frames are dropped.
    @inline(__always) private mutating func isNearlyFull(_ oldest: QueuedFrame, _ now: Duration) -> Bool {
        level.bytes > BackpressureLimits.automaticBytes / 4 * 3
            || delay(of: oldest, now: now) > longestDelay(of: oldest) / 4 * 3
    }

    /// Time at which the oldest frame in flight expires, counted from `time`; nil if it never expires.
    @inline(__always) private func expiry(_ time: Duration?) -> Duration? {
        guard !isPaused, let time, let patience = expiryTime else { return nil }
        return time + patience
    }

    /// Time after which a frame in flight expires: `inFlightTimeout` plus the latency; nil if frames never expire.
    @inline(__always) public var expiryTime: Duration? {
        limits.inFlightTimeout > .zero ? limits.inFlightTimeout + stream.latency : nil
    }

    // MARK: Overload

    /// Records the delay of a frame that leaves; returns true if an overload begins.
    private mutating func detectsOverload(_ frame: QueuedFrame, _ inFlight: Int, _ now: Duration) -> Bool {
        if overload.isOverloaded {
            if overload.overloadEnded(now: now) {
                inFlightLimit.overloadEnded(now: now)
                stream.overloadEnded()
            }
            return false
        }
        overflowingExits = hasOverflowed ? overflowingExits + 1 : 0
        hasOverflowed = false
        let normal = bounds.normal
        var stands = overload.frameLeft(
            delay: delay(of: frame, now: now), normal: normal, frameDuration: stream.frameDuration,
            isOutOfCredit: isWaitingForCredit, mustGrow: !isWaitingForCredit && !stream.canMeetDeadline, now: now)
        if overflowingExits >= 2 {
            stands = true
            overflowingExits = 0
        }
        if isWaitingForCredit, inFlightLimit.hasTrialResult, case .late = overload.state { stands = true }
        guard stands else {
            if case .late(now, _, _, _) = overload.state { (standsSince, releasesWhileStanding) = (now, 0) }
            return false
        }
        let time = max(now - standsSince, .zero)
        let interval = releasesWhileStanding > 0 ? time / releasesWhileStanding : nil
        (standsSince, releasesWhileStanding) = (now, 0)
        if learnsLimit {
            let inFlight = UInt32(clamping: inFlight)
            // A higher limit helps only if the exit waited for credit. If it did not wait, the push itself is slow.
            if isWaitingForCredit {
                let isSlow = inFlightLimit.queueStands(
                    inFlight: inFlight, waiting: level.buffers, interval: interval, now: now)
                guard isSlow else { return false }
            }
            // If the push is slow, the limit is measured only if frames above the floor may wait in a queue downstream.
            if isWaitingForCredit || inFlight > inFlightLimit.floor { inFlightLimit.overloadBegan(now: now) }
        }
        overload.overloadBegan(now: now)
        return true
    }

    // MARK: Pushes and releases

    /// A frame left the queue to be pushed.
    public mutating func framePushed(_ frame: QueuedFrame, now: Duration) {
        stream.framePushed(frame, now: now)
        level.left(frame)
        counts.leave(frame.count)
    }

    /// The push that began at `pushedAt` returned; `bornAt` is the time at which its frame had age 0, nil if unknown.
    public mutating func pushReturned(bornAt: Duration?, pushedAt: Duration, now: Duration) {
        inFlightLimit.pushReturned(now: now)
        guard let bornAt, now >= pushedAt else { return }
        stream.pushReturned(bornAt: bornAt, age: pushedAt - bornAt, after: now - pushedAt)
    }

    /// A frame in flight was released before it expired; `age` is its age at the release, nil if unknown.
    public mutating func frameReleased(pushedAt: Duration, at time: Duration, age: Duration?, inFlight: Int) {
        releasesWhileStanding &+= 1
        // With fixed sizes no overload is detected. A release while frames wait for credit shows that downstream is
        // slow and requires no more frames, so the limit falls.
        if !dropsByDelay, isWaitingForCredit { inFlightLimit.releasedWhileWaiting() }
        inFlightLimit.frameReleased(pushedAt: pushedAt, at: time, inFlight: UInt32(clamping: inFlight))
        guard let age, time >= pushedAt else { return }
        stream.frameReleased(
            bornAt: time - age, after: time - pushedAt, now: time)
    }

    /// The oldest frame in flight expired.
    public mutating func frameExpired() {
        counts.expire()
        inFlightLimit.frameExpired()
    }

    /// A LATENCY query was answered with the minimum latency `minimum`.
    public mutating func latencyAnswered(_ minimum: Duration) {
        guard minimum != stream.answeredLatency else { return }
        stream.answeredLatency = minimum
        inFlightLimit.expect(frames: stream.framesInLatency)
    }

    /// A LATENCY event was received.
    public mutating func latencyEventArrived(_ latency: Duration, _ sinks: SinkTiming) {
        stream.latencyEventArrived(latency, sinks)
        inFlightLimit.expect(frames: stream.framesInLatency)
    }

    /// CAPS entered the queue; `frameDuration` is nil if the caps have no framerate.
    public mutating func capsChanged(_ kind: StreamKind, isRaw: Bool, frameDuration: Duration?) {
        stream.capsChanged(kind, frameDuration: frameDuration)
        keyUnits.isRaw = isRaw
        inFlightLimit.expect(frames: stream.framesInLatency)
    }

    // MARK: Values for queries

    /// Maximum time that data waits before a frame is dropped; nil for no bound.
    ///
    /// The bound is `maxTime`, or without `maxTime` the duration of `maxBuffers` frames and of the frame being pushed.
    /// There is no bound while `dropsByDelay` is true, because a frame may then wait until its deadline.
    public var longestWait: Duration? {
        if dropsByDelay { return nil }
        let sizes = sizes
        if sizes.maxTime > .zero { return sizes.maxTime }
        guard sizes.maxBuffers > 0, let duration = stream.capsFrameDuration else { return nil }
        return duration * (Int(sizes.maxBuffers) + 1)
    }

    /// Number of buffers that the queue adds to an ALLOCATION query, enough for frames in the queue and in flight.
    ///
    /// `frameSize` is in bytes, nil if unknown. A pool allocates its minimum at once, so the number is clamped to
    /// `maxRequestedBuffers`. Until a LATENCY query shows whether the source is live, it suffices for both cases.
    public func buffersToRequest(frameSize: UInt64?) -> UInt32 {
        let waiting: UInt32
        if dropsByDelay {
            waiting = stream.framesInLatency &+ 1
        } else if mayBecomeLive {
            waiting = max(mostWaiting(frameSize: frameSize), stream.framesInLatency &+ 1)
        } else {
            waiting = mostWaiting(frameSize: frameSize)
        }
        let inFlight = creditLimit ?? (mayBecomeLive && limits.maxInFlight == 0 ? inFlightLimit.limit : 0)
        let (sum, isTooMuch) = waiting.addingReportingOverflow(inFlight)
        return isTooMuch ? Self.maxRequestedBuffers : min(sum, Self.maxRequestedBuffers)
    }

    /// Whether `buffersToRequest` covers all frames that the queue and downstream hold.
    ///
    /// This requires a fixed limit of frames in flight, no expiry (an expired frame is held but not counted), a size
    /// that limits the frames in the queue, and a sum of at most `maxRequestedBuffers`.
    public func requestCoversAllFrames(frameSize: UInt64?) -> Bool {
        guard !limits.hasAutomaticSizes || limits.leak == .none, limits.inFlightTimeout == .zero, !learnsLimit,
            let inFlight = creditLimit
        else { return false }
        let (sum, isTooMuch) = mostWaiting(frameSize: frameSize).addingReportingOverflow(inFlight)
        return !isTooMuch && sum <= Self.maxRequestedBuffers
    }

    /// Whether frames are dropped because of their delay if the source is live.
    private var mayBecomeLive: Bool { limits.isEnabled && limits.hasAutomaticSizes && limits.leak == .automatic }

    /// Smallest number of queued frames that reaches one of the sizes.
    private func mostWaiting(frameSize: UInt64?) -> UInt32 {
        let sizes = sizes
        var most = sizes.maxBuffers > 0 ? sizes.maxBuffers : .max
        if sizes.maxBytes > 0, let frameSize, frameSize > 0 {
            most = min(most, UInt32(clamping: (UInt64(sizes.maxBytes) - 1) / frameSize + 1))
        }
        if sizes.maxTime > .zero, let duration = stream.capsFrameDuration, duration > .zero {
            let (frames, rest) = sizes.maxTime.attoseconds.quotientAndRemainder(dividingBy: duration.attoseconds)
            most = min(most, UInt32(clamping: frames + (rest > 0 ? 1 : 0)))
        }
        return most
    }

    /// Maximum number of buffers of a V4L2 device: VIDEO_MAX_FRAME (promised in docs/elements/backpressurequeue.md).
    static let maxRequestedBuffers: UInt32 = 32
}
