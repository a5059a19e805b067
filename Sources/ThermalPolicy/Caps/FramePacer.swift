/// Drops frames to limit the frame rate.
///
/// It uses timestamps, so it does not drop frames of a camera that is already slower, as in the dark. After a gap or a
/// jump it starts again and does not compensate for lost frames. Frames without timestamps are counted instead.
public struct FramePacer: Sendable {
    /// The treatment of one frame.
    public enum Verdict: Sendable, Equatable {
        case pass
        /// Passes with this duration.
        case stretch(Duration)
        case drop
    }

    /// Frames with this timestamp or a later one, 292 years, all pass.
    private static let latest = Duration.nanoseconds(Int64.max)

    private let interval: Duration
    /// The time by which a frame may be early: timestamps are rounded and have jitter.
    private let tolerance: Duration
    private let rate: FrameRate
    private let source: FrameRate?
    private var due: Duration?
    private var lastTime: Duration?
    /// The remainder of the frame count.
    private var left: Int?

    /// Passes at most `rate` of a stream with the rate `source`, nil if it is unknown.
    public init(_ rate: FrameRate, of source: FrameRate?) {
        self.rate = rate
        self.source = source
        interval = Self.frameDuration(rate)
        let step = source.map { Self.frameDuration($0) } ?? interval
        tolerance = min(step, interval) / 4
    }

    /// The duration of a frame that passes.
    public var frameDuration: Duration { interval }

    /// Decides on the frame with this timestamp, or without one.
    public mutating func verdict(onFrameAt time: Duration?) -> Verdict {
        keeps(frameAt: time) ? .stretch(frameDuration) : .drop
    }

    /// Starts again, after a flush or in a new segment.
    public mutating func reset() { self = FramePacer(rate, of: source) }

    /// Whether the frame with this timestamp, or without one, passes.
    public mutating func keeps(frameAt time: Duration?) -> Bool {
        guard let time else { return keepsByNumber() }
        defer { lastTime = min(time, Self.latest) }
        guard time < Self.latest else {
            due = nil
            return true
        }
        if let lastTime, time < lastTime {
            // In reverse playback no frame is ever due.
            due = nil
            return keepsByNumber()
        }
        guard let due else {
            self.due = time + interval
            return true
        }
        guard time >= due - tolerance else { return false }
        let next = due + interval
        // A frame that is late by more than one interval follows a gap: the intervals start again from it.
        self.due = next <= time ? time + interval : next
        return true
    }

    private mutating func keepsByNumber() -> Bool {
        guard let source, rate < source else { return true }
        // Of `whole` frames, `part` pass, including the first.
        let part = rate.numerator.multipliedReportingOverflow(by: source.denominator)
        let whole = source.numerator.multipliedReportingOverflow(by: rate.denominator)
        guard !part.overflow, !whole.overflow else { return true }
        let debt = left ?? (whole.partialValue - part.partialValue)
        let (sum, overflows) = debt.addingReportingOverflow(part.partialValue)
        let goesOn = overflows || sum >= whole.partialValue
        left = overflows ? 0 : goesOn ? sum - whole.partialValue : sum
        return goesOn
    }

    private static func frameDuration(_ rate: FrameRate) -> Duration {
        // Whole nanoseconds, as in the duration of a buffer.
        .nanoseconds(Int64(Double(rate.denominator) * 1_000_000_000 / Double(rate.numerator)))
    }
}
