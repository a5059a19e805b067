/// Which frames of a stream that has too many go on.
///
/// By time, where frames tell it: a camera that slows down in the dark is not slowed down once more. A gap or a jump
/// starts the count anew, so that what was lost is not made up for. By number where frames tell no time.
public struct FramePacer: Sendable {
    private let interval: Int64
    /// How early a frame may come and still be taken; timestamps are rounded, and cameras tremble.
    private let tolerance: Int64
    private let rate: FrameRate
    private let source: FrameRate?
    private var due: Int64?
    private var lastTime: Int64?
    /// What the frames so far are worth that did not go on.
    private var left: Int?

    /// Lets through at most `rate`, of a stream of `source`, where that is known.
    public init(_ rate: FrameRate, of source: FrameRate?) {
        self.rate = rate
        self.source = source
        interval = Self.nanoseconds(rate)
        let step = source.map { Self.nanoseconds($0) } ?? interval
        tolerance = min(step, interval) / 4
    }

    /// How long a frame that goes on stands, in nanoseconds.
    public var frameDuration: UInt64 { UInt64(interval) }

    /// Forgets what came before: after a flush, or in a new segment.
    public mutating func reset() { self = FramePacer(rate, of: source) }

    /// Whether the frame of this time (nanoseconds; nil when it has none) goes on.
    public mutating func keeps(frameAt time: UInt64?) -> Bool {
        guard let time = time.map(Int64.init(clamping:)) else { return keepsByNumber() }
        defer { lastTime = time }
        if let lastTime, time < lastTime {
            // Backwards nothing is ever due.
            due = nil
            return keepsByNumber()
        }
        guard let due else {
            self.due = time.addingReportingOverflow(interval).partialValue
            return true
        }
        guard time >= due.subtractingReportingOverflow(tolerance).partialValue else { return false }
        let (next, overflows) = due.addingReportingOverflow(interval)
        // More than a frame late is a gap: count from here.
        self.due = overflows || next <= time ? time.addingReportingOverflow(interval).partialValue : next
        return true
    }

    private mutating func keepsByNumber() -> Bool {
        guard let source, rate < source else { return true }
        // Of every `whole` frames, `part` go on, the first among them.
        let part = rate.numerator.multipliedReportingOverflow(by: source.denominator)
        let whole = source.numerator.multipliedReportingOverflow(by: rate.denominator)
        guard !part.overflow, !whole.overflow else { return true }
        let debt = left ?? (whole.partialValue - part.partialValue)
        let (sum, overflows) = debt.addingReportingOverflow(part.partialValue)
        let goesOn = overflows || sum >= whole.partialValue
        left = overflows ? 0 : goesOn ? sum - whole.partialValue : sum
        return goesOn
    }

    private static func nanoseconds(_ rate: FrameRate) -> Int64 {
        Int64(Double(rate.denominator) * 1_000_000_000 / Double(rate.numerator))
    }
}
