import AudioSinks
import Durations
import GStreamer
import SendspinProtocol
import Threads

/// The clock that `sendspinsrc` provides; it runs at the rate of the server's clock.
///
/// Its time is the server time minus a constant. The constant changes when the server is another one and when the
/// server's clock is set, so that the time of this clock continues.
final class SendspinClock: Sendable {
    private struct State {
        var estimate: ClockEstimate?
        /// Time of the server minus time of this clock.
        var shift = Duration.zero
    }

    /// Largest change of the time by a new estimate that does not count as a step.
    static let maxMove = Duration.milliseconds(100)

    private let own: OwnClock<MonotonicTime>
    private let state = Mutex(State())

    /// Creates the clock; nil if another plugin has registered a type of this name.
    init?() {
        guard let own = OwnClock(MonotonicTime.self, name: "sendspinclock") else { return nil }
        self.own = own
    }

    var reference: ClockReference { own.reference }

    /// Follows the clock of the server; returns whether the new estimate is a step.
    ///
    /// If `isStep` is true, the server's clock was set or the server is another one; the time of this clock continues.
    /// A move of more than `maxMove` also counts as a step, because a clock that is set back would stand still until it
    /// reaches its previous time.
    func follow(_ estimate: ClockEstimate, isStep: Bool) -> Bool {
        state.withLock { state in
            let now = MonotonicClock.now
            // This clock may be ahead of the old estimate, because it never goes back.
            let present = own.reference.time ?? now
            let move = estimate.serverTime(at: now) - state.shift - present
            let isStep = isStep || state.estimate == nil || max(move, .zero - move) > Self.maxMove
            if isStep { state.shift += move }
            state.estimate = estimate
            own.reference.calibrate(at: now, to: estimate.serverTime(at: now) - state.shift, rate: 1 + estimate.drift)
            return isStep
        }
    }

    /// Converts a server time to the time of `clock`, the pipeline's clock; nil before the server's clock is known.
    func time(of clock: ClockReference, at server: Duration) -> Duration? {
        let (estimate, shift) = state.withLock { ($0.estimate, $0.shift) }
        guard let estimate else { return nil }
        if clock.identity == reference.identity { return server - shift }
        guard let (now, time) = ClockReference.closest({ MonotonicClock.now }, { clock.time }) else { return nil }
        return time + (estimate.localTime(of: server) - now)
    }
}

/// Time source of the clock before calibration.
final class MonotonicTime: Clock {
    static let typeName = "GstSendspinClock"

    init() {}

    var internalTime: Duration { MonotonicClock.now }
}
