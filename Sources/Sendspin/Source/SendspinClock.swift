import Durations
import GStreamer
import SendspinProtocol
import Threads

/// The clock that `sendspinsrc` provides: it runs at the rate of the server's clock.
///
/// Its time is the time of the server minus a constant, so that it continues where the monotonic clock was when the
/// server was first known, and where it was when the clock of the server was set.
final class SendspinClock: Sendable {
    private struct State {
        var estimate: ClockEstimate?
        /// Time of the server minus time of this clock.
        var shift = Duration.zero
    }

    /// Largest change of the time by a new estimate.
    static let maxMove = Duration.milliseconds(100)

    private let own: OwnClock<MonotonicTime>
    private let state = Mutex(State())

    /// Nil if another plugin has registered a type with this name.
    init?() {
        guard let own = OwnClock(MonotonicTime.self, name: "sendspinclock") else { return nil }
        self.own = own
    }

    /// The clock for the pipeline.
    var reference: ClockReference { own.reference }

    /// The newest estimate; nil before the server is known.
    var estimate: ClockEstimate? { state.withLock { $0.estimate } }

    /// Follows the clock of the server.
    ///
    /// With `isStep`, the clock of the server was set, or it is another server: the time of this clock continues. It also
    /// does if it would move by more than `maxMove`, because a clock that is ahead stands still until its time has come.
    /// Returns whether it was a step.
    func follow(_ estimate: ClockEstimate, isStep: Bool) -> Bool {
        state.withLock { state in
            let now = MonotonicClock.now
            // Not the time of the old estimate: the clock may be ahead of that.
            let present = own.reference.time ?? now
            let move = estimate.serverTime(at: now) - state.shift - present
            let isStep = isStep || state.estimate == nil || max(move, .zero - move) > Self.maxMove
            if isStep { state.shift += move }
            state.estimate = estimate
            own.reference.calibrate(at: now, to: estimate.serverTime(at: now) - state.shift, rate: 1 + estimate.drift)
            return isStep
        }
    }

    /// Time of `clock`, the clock of the pipeline, at a time of the server; nil before that is known.
    func time(of clock: ClockReference, at server: Duration) -> Duration? {
        let (estimate, shift) = state.withLock { ($0.estimate, $0.shift) }
        guard let estimate else { return nil }
        if clock.identity == reference.identity { return server - shift }
        guard let (time, now) = Self.read(clock) else { return nil }
        return time + (estimate.localTime(of: server) - now)
    }

    /// Reads a clock and the monotonic clock at the same time.
    ///
    /// Of three readings it takes the closest, because another thread may run between the two clocks.
    private static func read(_ clock: ClockReference) -> (clock: Duration, monotonic: Duration)? {
        var best: (gap: Duration, clock: Duration, monotonic: Duration)?
        for _ in 0..<3 {
            let before = MonotonicClock.now
            guard let time = clock.time else { return nil }
            let gap = MonotonicClock.now - before
            if best.map({ gap < $0.gap }) ?? true { best = (gap, time, before + gap / 2) }
        }
        return best.map { ($0.clock, $0.monotonic) }
    }
}

/// The time source of the clock, before calibration.
final class MonotonicTime: Clock {
    static let typeName = "GstSendspinClock"

    init() {}

    var internalTime: Duration { MonotonicClock.now }
}
