import AudioSinks
import Durations
import GStreamer
import SendspinProtocol
import Threads

/// The clock that `sendspinsrc` provides; it runs at the rate of the server's clock.
///
/// Its time is the server time minus a constant, the shift, which `SourceState` holds. The shift changes when the server
/// is another one and when the server's clock is set, so that the time of this clock continues.
final class SendspinClock: Sendable {
    /// Largest change of the time by a new estimate that does not count as a step.
    static let maxMove = Duration.milliseconds(100)

    private let own: OwnClock<MonotonicTime>

    /// Creates the clock; nil if another plugin has registered a type of this name.
    init?() {
        guard let own = OwnClock(MonotonicTime.self, name: "sendspinclock") else { return nil }
        self.own = own
    }

    var reference: ClockReference { own.reference }

    /// Follows the clock of the server, one call at a time; returns whether the new estimate is a step.
    ///
    /// If `isStep` is true, the server's clock was set or the server is another one; the time of this clock continues.
    /// A move of more than `maxMove` also counts as a step, because a clock that is set back would stand still until it
    /// reaches its previous time.
    func follow(_ estimate: ClockEstimate, shift: inout Duration, isStep: Bool) -> Bool {
        let now = MonotonicClock.now
        // This clock may be ahead of the old estimate, because it never goes back.
        let move = estimate.serverTime(at: now) - shift - (own.reference.time ?? now)
        let isStep = isStep || max(move, .zero - move) > Self.maxMove
        if isStep { shift += move }
        own.reference.calibrate(at: now, to: estimate.serverTime(at: now) - shift, rate: 1 + estimate.drift)
        return isStep
    }

    /// Converts a server time to the time of `clock`, the pipeline's clock; nil before the server's clock is known.
    func time(of clock: ClockReference, at server: Duration, _ estimate: ClockEstimate?, shift: Duration) -> Duration? {
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
