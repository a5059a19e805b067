/// Properties of the stream that the drop policy depends on: kind, frame duration, deadline.
///
/// Times are in nanoseconds.
public struct StreamFacts: Sendable {
    /// Frame duration assumed while the stream does not specify one: 30 frames per second.
    public static let presumedDuration: UInt64 = 33_333_333
    /// Lateness of timer wake-ups that does not indicate a slow element.
    static let timerSlack: UInt64 = 5_000_000

    public var kind = StreamKind.samples
    /// Frame duration from the caps; nil if the caps have none.
    public var capsFrameDuration: UInt64?
    /// Latency of the last LATENCY event.
    ///
    /// Without an offset, it is the age at which a frame is due.
    public private(set) var latency: UInt64 = 0
    /// Minimum latency of the last answer to a LATENCY query.
    public var answeredLatency: UInt64 = 0
    /// Synchronization of the sinks downstream.
    public private(set) var sinks = SinkTiming()
    /// The most recently pushed frames.
    private var pushed = PushedFrames()
    /// Number of consecutive frames in time.
    private var inTime: UInt32 = 0
    /// Number of consecutive frames in time after which half of `processing` is tried.
    ///
    /// It doubles after each failed trial.
    private var streak = Self.shortestStreak
    /// Value of `processing` before the trial of half of it.
    private var processingBefore: UInt64?
    private static let shortestStreak: UInt32 = 5
    private static let longestStreak: UInt32 = 512
    /// Processing time that downstream requires per frame, learned from late frames.
    public private(set) var processing: UInt64 = 0
    /// Mean duration of frames; nil until a frame has a duration.
    private var meanDuration: UInt64?
    /// Mean difference of successive start times; nil until two frames have entered.
    private var meanSpacing: UInt64?
    private var lastStart: Int64?
    /// Number of frames with the timestamp `lastStart`.
    private var sharing: UInt32 = 1

    public init() {}

    /// Duration of one frame, from the most precise source known; at least 1.
    public var frameDuration: UInt64 {
        max(capsFrameDuration ?? meanDuration ?? meanSpacing ?? Self.presumedDuration, 1)
    }

    /// Age by which a frame must leave the queue to be in time; nil if no frame can be late.
    public var deadline: Int64? {
        permittedWait > 0 ? Int64(clamping: permittedWait - min(processing, permittedWait)) : nil
    }

    /// Whether a frame past its deadline would have been in time if it had left earlier.
    ///
    /// False if downstream requires more than 7/8 of the latency: then no frame is in time, and dropping one does not
    /// help the next. False also if a sink does not wait for the clock.
    public var canMeetDeadline: Bool {
        permittedWait > 0 && sinks.allKeepTime && processing < permittedWait - (permittedWait / 8)
    }

    /// Age at which synchronizing sinks render a frame; 0 if there is no such sink.
    public var permittedWait: UInt64 {
        guard sinks.anyKeepsTime else { return 0 }
        let latency = sinks.waitsForAnsweredLatency ? max(latency, answeredLatency) : latency
        return UInt64(max(sinks.offset.addingClamped(latency), 0))
    }

    /// Number of frames downstream while all are in time.
    ///
    /// By Little's law that is the number of frames that start during the latency, plus the frame that a sink keeps as
    /// its last sample and the frame being processed.
    public var framesInLatency: UInt32 {
        let (frames, rest) = permittedWait.quotientAndRemainder(dividingBy: frameDuration)
        return UInt32(clamping: min(frames, 4094)) + (rest > 0 ? 3 : 2)
    }

    /// A LATENCY event arrived.
    ///
    /// The learned processing time is discarded.
    public mutating func latencyTold(_ latency: UInt64, _ sinks: SinkTiming) {
        (self.latency, self.sinks) = (latency, sinks)
        overloadEnded()
    }

    /// New caps arrived.
    mutating func capsChanged(_ kind: StreamKind, frameDuration: UInt64?) {
        (self.kind, capsFrameDuration) = (kind, frameDuration)
        (meanDuration, meanSpacing, lastStart) = (nil, nil, nil)
    }

    mutating func frameEntered(_ frame: QueuedFrame) {
        defer { lastStart = frame.startsAt ?? lastStart }
        guard capsFrameDuration == nil, let start = frame.startsAt else { return }
        if let end = frame.endsAt, end > start {
            meanDuration = Self.mean(
                meanDuration, max(UInt64(bitPattern: end &- start) / UInt64(max(frame.count, 1)), 1))
        } else if let lastStart, start > lastStart {
            meanSpacing = Self.mean(meanSpacing, UInt64(bitPattern: start &- lastStart) / UInt64(sharing))
        }
        // The packets of a picture have the same timestamp.
        sharing = start == lastStart ? min(sharing, .max - frame.count) + frame.count : max(frame.count, 1)
    }

    /// Clamps outliers, so that one frame cannot move the mean far.
    private static func mean(_ before: UInt64?, _ new: UInt64) -> UInt64 {
        guard let before else { return new }
        let most = before.multipliedReportingOverflow(by: 16)
        return before - (before / 8) + (min(new, most.overflow ? new : most.partialValue) / 8)
    }

    /// A frame left the queue at `now`.
    mutating func framePushed(_ frame: QueuedFrame, now: UInt64) {
        guard let onEntry = frame.ageOnEntry else { return }
        let bornAt = Int64(clamping: frame.enteredAt).subtractingClamped(onEntry)
        pushed.append(.init(bornAt: bornAt, age: Int64(clamping: now).subtractingClamped(bornAt)))
    }

    /// The push of a frame that left with `age` returned after `time`.
    ///
    /// A sink in the streaming thread returns from the push when it has rendered the frame.
    mutating func pushReturned(age: Int64, after time: UInt64) {
        frameShown(age: age.addingClamped(time), leftAt: age, after: time)
    }

    /// A frame born at `bornAt` and pushed `time` earlier was released at `now`.
    mutating func frameReleased(bornAt: Int64, after time: UInt64, now: UInt64) {
        guard permittedWait > 0 else { return }
        // A sink that keeps a frame releases it when it renders the next one.
        let shown = pushed.successor(of: bornAt)
        let spacing = shown.map { UInt64(bitPattern: $0.bornAt &- bornAt) } ?? frameDuration
        let age = Int64(clamping: now).subtractingClamped(bornAt).addingClamped(0, less: spacing)
        guard let leftAt = shown?.age else { return frameShown(age: age, leftAt: nil, after: time) }
        frameShown(age: age, leftAt: leftAt, after: UInt64(max(age.subtractingClamped(leftAt), 0)))
    }

    /// A frame was rendered with `age`.
    ///
    /// It left the queue with the age `leftAt`; downstream required at most `time`.
    private mutating func frameShown(age: Int64, leftAt: Int64?, after time: UInt64) {
        let permitted = permittedWait
        guard permitted > 0 else { return }
        let late = age.subtractingClamped(Int64(clamping: permitted))
        // A push into a queue returns before the frame is rendered, and shows nothing.
        guard late >= 0 else { return }
        guard late <= Int64(Self.timerSlack) else {
            return wasLate(by: UInt64(late) - Self.timerSlack, after: time, permitted)
        }
        if let leftAt { proved(leftAt: leftAt, permitted) }
        wasInTime()
    }

    /// A late frame should have left earlier by `late`, but by no more than the time downstream held it.
    private mutating func wasLate(by late: UInt64, after time: UInt64, _ permitted: UInt64) {
        if let before = processingBefore {
            processing = max(processing, before)
            processingBefore = nil
            streak = min(streak * 2, Self.longestStreak)
        }
        // Adds a quarter only, because a single late frame may be caused by the machine.
        processing = min(processing &+ (late / 4), max(processing, time), permitted)
        inTime = 0
    }

    private mutating func proved(leftAt: Int64, _ permitted: UInt64) {
        let most = UInt64(max(Int64(clamping: permitted).subtractingClamped(leftAt), 0))
        if processing > most { processing -= (processing - most) / 2 }
    }

    /// Frames may be in time because they leave too early.
    ///
    /// Halving `processing` tests that.
    private mutating func wasInTime() {
        inTime = min(inTime + 1, Self.longestStreak)
        guard inTime >= streak, processing > 0 else { return }
        processingBefore = processing
        processing = processing > Self.timerSlack ? processing / 2 : 0
        inTime = 0
    }

    /// Downstream keeps up again.
    mutating func overloadEnded() {
        (processing, processingBefore) = (0, nil)
        (inTime, streak) = (0, Self.shortestStreak)
    }

    mutating func discontinued() {
        lastStart = nil
        pushed.reset()
    }
}
