/// Facts of the stream that the drop policy depends on: kind, frame duration, deadline.
///
/// Times are nanoseconds.
public struct StreamFacts: Sendable, Equatable {
    /// What is taken for a frame's duration while the stream has not told it: 30 frames a second.
    public static let presumedDuration: UInt64 = 33_333_333
    /// Timers wake threads this much late without anything being slow.
    static let timerSlack: UInt64 = 5_000_000

    public var kind = StreamKind.samples
    /// What the caps say; nil where they do not.
    public var capsFrameDuration: UInt64?
    /// What the sinks were told to add to each frame's time; the age by which a frame is due.
    public private(set) var latency: UInt64 = 0
    /// Which sinks behind the queue wait for each frame's time.
    public private(set) var sinks = SinkTiming()
    /// How many frames in a row were in time.
    private var inTime: UInt32 = 0
    /// So many show that downstream may have become faster; doubled whenever that was wrong.
    private var streak = Self.shortestStreak
    private static let shortestStreak: UInt32 = 16
    private static let longestStreak: UInt32 = 512
    /// The time that downstream needs for a frame, from those that were late.
    public private(set) var processing: UInt64 = 0
    /// The mean of what frames have lasted; nil while none has said.
    private var meanDuration: UInt64?
    private var meanSpacing: UInt64?
    private var lastStart: Int64?

    public init() {}

    /// One frame's duration, as exactly as it is known.
    public var frameDuration: UInt64 {
        max(capsFrameDuration ?? meanDuration ?? meanSpacing ?? Self.presumedDuration, 1)
    }

    /// The age by which a frame must leave to be in time; nil when none can be late.
    public var deadline: Int64? {
        permittedWait > 0 ? Int64(clamping: permittedWait - min(processing, permittedWait)) : nil
    }

    /// Whether a frame that is past its deadline would have been in time if it had left earlier.
    ///
    /// When downstream needs nearly the whole latency, no frame is in time, and a late one is as good as any.
    ///
    /// Nor does it help the others where some sinks do not wait for the time.
    public var canMeetDeadline: Bool {
        permittedWait > 0 && sinks.allKeepTime && processing < permittedWait - (permittedWait / 8)
    }

    /// How old frames are when sinks that keep time show them; 0 when there is no such sink.
    public var permittedWait: UInt64 {
        guard sinks.anyKeepsTime else { return 0 }
        let (sum, isTooMuch) = latency.addingReportingOverflow(sinks.offset)
        return isTooMuch ? .max : sum
    }

    /// How many frames are under way at once when all of them are in time: as many as begin during the latency, one
    /// that a sink keeps to show again, and one that is worked on.
    public var framesInLatency: UInt32 {
        let (frames, rest) = permittedWait.quotientAndRemainder(dividingBy: frameDuration)
        return UInt32(clamping: min(frames, 4094)) + (rest > 0 ? 3 : 2)
    }

    public mutating func latencyTold(_ latency: UInt64, _ sinks: SinkTiming) {
        (self.latency, self.sinks) = (latency, sinks)
        processing = 0
    }

    mutating func frameEntered(_ frame: QueuedFrame) {
        defer { lastStart = frame.startsAt ?? lastStart }
        guard capsFrameDuration == nil, let start = frame.startsAt else { return }
        if let end = frame.endsAt, end > start {
            meanDuration = Self.mean(
                meanDuration, max(UInt64(bitPattern: end &- start) / UInt64(max(frame.count, 1)), 1))
        } else if let lastStart, start > lastStart {
            meanSpacing = Self.mean(meanSpacing, UInt64(bitPattern: start &- lastStart))
        }
    }

    /// One odd frame must not move the mean far.
    private static func mean(_ before: UInt64?, _ new: UInt64) -> UInt64 {
        guard let before else { return new }
        let most = before.multipliedReportingOverflow(by: 16)
        return before - (before / 8) + (min(new, most.overflow ? new : most.partialValue) / 8)
    }

    /// Downstream had a frame for `time`; it left with `age` at the end of it.
    ///
    /// A frame that was late should have left the queue so much earlier, but no more earlier than downstream had it.
    mutating func frameFinished(age: Int64, after time: UInt64, slack: UInt64) {
        let permitted = permittedWait
        guard permitted > 0 else { return }
        let due = Int64(clamping: permitted.addingReportingOverflow(slack &+ Self.timerSlack).partialValue)
        if age > due {
            // A part only: one late frame may be the fault of the machine.
            let more = processing &+ (UInt64(age - due) / 4)
            processing = min(more, max(processing, time > slack ? time - slack : 0), permitted)
            if inTime > streak { streak = min(streak * 2, Self.longestStreak) }
            inTime = 0
        } else {
            // Slowly at first, since frames may be in time for the very reason that this is taken off.
            inTime = inTime < .max ? inTime + 1 : .max
            processing -= processing / (inTime > streak ? 32 : 256)
        }
    }

    /// Downstream keeps up again.
    mutating func overloadEnded() { (processing, streak) = (0, Self.shortestStreak) }

    mutating func discontinued() { lastStart = nil }
}
