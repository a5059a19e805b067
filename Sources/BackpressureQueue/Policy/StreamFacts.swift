/// Facts of the stream that the drop policy depends on: kind, frame duration, deadline.
///
/// Times are nanoseconds.
public struct StreamFacts: Sendable {
    /// What is taken for a frame's duration while the stream has not told it: 30 frames a second.
    public static let presumedDuration: UInt64 = 33_333_333
    /// Timers wake threads this much late without anything being slow.
    static let timerSlack: UInt64 = 5_000_000

    public var kind = StreamKind.samples
    /// What the caps say; nil where they do not.
    public var capsFrameDuration: UInt64?
    /// What the sinks were told to add to each frame's time; the age by which a frame is due.
    public private(set) var latency: UInt64 = 0
    /// The minimum latency of the last LATENCY answer.
    public var answeredLatency: UInt64 = 0
    /// Which sinks behind the queue wait for each frame's time.
    public private(set) var sinks = SinkTiming()
    /// The frames pushed last.
    private var pushed = PushedFrames()
    /// How many frames in a row were in time.
    private var inTime: UInt32 = 0
    /// After so many in a row, half of `processing` is tried; doubled whenever that was too little.
    private var streak = Self.shortestStreak
    /// What `processing` was before the half of it was tried.
    private var processingBefore: UInt64?
    private static let shortestStreak: UInt32 = 5
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
        let latency = sinks.waitsForAnsweredLatency ? max(latency, answeredLatency) : latency
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
        (processing, processingBefore, inTime) = (0, nil, 0)
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

    /// A frame left the queue at `now`.
    mutating func framePushed(_ frame: QueuedFrame, now: UInt64) {
        guard let onEntry = frame.ageOnEntry else { return }
        let bornAt = Int64(clamping: frame.enteredAt).subtractingClamped(onEntry)
        pushed.append(.init(bornAt: bornAt, age: Int64(clamping: now).subtractingClamped(bornAt)))
    }

    /// The push of a frame that left with `age` returned after `time`.
    ///
    /// A sink in the thread of the queue returns when it has shown the frame.
    mutating func pushReturned(age: Int64, after time: UInt64) {
        frameShown(age: age.addingClamped(time), leftAt: age, after: time)
    }

    /// A frame born at `bornAt`, pushed `time` before, was released at `now`.
    mutating func frameReleased(bornAt: Int64, after time: UInt64, now: UInt64) {
        // What keeps a frame shows it until it shows the next one.
        let shown = pushed.successor(of: bornAt)
        let spacing = shown.map { UInt64(bitPattern: $0.bornAt &- bornAt) } ?? frameDuration
        let age = Int64(clamping: now).subtractingClamped(bornAt).addingClamped(0, less: spacing)
        guard let leftAt = shown?.age else { return frameShown(age: age, leftAt: nil, after: time) }
        frameShown(age: age, leftAt: leftAt, after: UInt64(max(age.subtractingClamped(leftAt), 0)))
    }

    /// A frame that left the queue with the age `leftAt` was shown with `age`; `time` is the most that downstream needed.
    private mutating func frameShown(age: Int64, leftAt: Int64?, after time: UInt64) {
        let permitted = permittedWait
        guard permitted > 0 else { return }
        let due = Int64(clamping: permitted.addingReportingOverflow(Self.timerSlack).partialValue)
        if age > due {
            wasLate(by: UInt64(age - due), after: time, permitted)
        } else {
            // It was shown at its time, not released before: it would not have needed to leave earlier.
            if age >= Int64(clamping: permitted), let leftAt { proved(leftAt: leftAt, permitted) }
            wasInTime()
        }
    }

    /// A frame that was late should have left the queue so much earlier, but no more earlier than downstream had it.
    private mutating func wasLate(by late: UInt64, after time: UInt64, _ permitted: UInt64) {
        if let before = processingBefore {
            processing = max(processing, before)
            processingBefore = nil
            streak = min(streak * 2, Self.longestStreak)
        }
        // A part only: one late frame may be the fault of the machine.
        processing = min(processing &+ (late / 4), max(processing, time), permitted)
        inTime = 0
    }

    private mutating func proved(leftAt: Int64, _ permitted: UInt64) {
        let most = UInt64(max(Int64(clamping: permitted).subtractingClamped(leftAt), 0))
        if processing > most { processing -= (processing - most) / 2 }
    }

    /// Frames may be in time because they leave too early, which only a later one shows.
    private mutating func wasInTime() {
        inTime += 1
        guard inTime >= streak, processing > 0 else { return }
        processingBefore = processing
        processing = processing > Self.timerSlack ? processing / 2 : 0
        inTime = 0
    }

    /// Downstream keeps up again.
    mutating func overloadEnded() { (processing, processingBefore, streak) = (0, nil, Self.shortestStreak) }

    mutating func discontinued() {
        lastStart = nil
        pushed.reset()
    }
}
