import Durations

/// Properties of the stream that the drop policy depends on: kind, frame duration, deadline.
public struct StreamFacts: Sendable {
    /// Frame duration assumed while the stream does not specify one: 30 frames per second.
    public static let presumedDuration = Duration.nanoseconds(33_333_333)
    /// Lateness up to this time may come from timers, and does not show that an element is slow.
    static let timerSlack = Duration.milliseconds(5)

    /// Kind of the stream: the dependencies between its frames.
    public var kind = StreamKind.samples
    /// Frame duration from the caps; nil if the caps have none.
    var capsFrameDuration: Duration?
    /// Latency of the last LATENCY event, which is the age at which a sink without an offset renders a frame.
    public private(set) var latency = Duration.zero
    /// Minimum latency of the last answer to a LATENCY query.
    public var answeredLatency = Duration.zero
    /// How the sinks downstream wait for the clock.
    public private(set) var sinks = SinkTiming()
    /// The most recently pushed frames.
    private var pushed = PushedFrames()
    /// Number of consecutive frames in time.
    private var inTime: UInt32 = 0
    /// Time at which the last frame in time had age 0.
    ///
    /// Two events show that a frame was in time: the return of its push, and the release of the frame before it. Only
    /// the first of these events counts.
    private var lastInTime: Duration?
    /// Last frame that was late: the time at which it had age 0, and its lateness.
    ///
    /// Both the return of its push and the release of the previous frame show the lateness, which is counted once.
    private var lastLate: (bornAt: Duration, by: Duration)?
    /// Number of consecutive frames in time before `processing` is halved as a trial; doubled by each failed trial.
    private var streak = Self.shortestStreak
    /// Value of `processing` before the trial; nil without a trial.
    private var processingBefore: Duration?
    /// Value of `streak` before the first failed trial.
    static let shortestStreak: UInt32 = 5
    /// Largest value of `streak`, and of `inTime`.
    private static let longestStreak: UInt32 = 512
    /// Processing time that downstream requires per frame, learned from late frames.
    public private(set) var processing = Duration.zero
    /// Mean duration of frames; nil until a frame has a duration.
    private var meanDuration: Duration?
    /// Mean difference of successive start times; nil until two frames have entered.
    private var meanSpacing: Duration?
    private var lastStart: Duration?
    /// Number of frames with the timestamp `lastStart`.
    private var sharing: UInt32 = 1

    public init() {}

    /// Duration of a frame, at least 1 ns: from the caps, or else from durations of frames, or else from timestamps.
    @inline(__always) public var frameDuration: Duration {
        max(capsFrameDuration ?? meanDuration ?? meanSpacing ?? Self.presumedDuration, .nanoseconds(1))
    }

    /// Age by which a frame must leave the queue to be in time; nil if no frame can be late.
    @inline(__always) public var deadline: Duration? {
        let permitted = permittedWait
        return permitted > .zero ? max(permitted - processing, .zero) : nil
    }

    /// Whether a frame past its deadline would be in time if it left earlier.
    ///
    /// The value is false if a sink does not wait for the clock. It is also false if downstream requires 7/8 of the
    /// latency or more, because a drop then does not make the next frame arrive in time. The second condition does not
    /// apply if a sink drops late pictures, because each picture must then leave as early as possible.
    @inline(__always) var canMeetDeadline: Bool {
        let permitted = permittedWait
        return permitted > .zero && sinks.allKeepTime
            && ((kind == .pictures && sinks.tolerance != nil) || processing < permitted - (permitted / 8))
    }

    /// Age at which synchronizing sinks render a frame; 0 without such a sink.
    @inline(__always) public var permittedWait: Duration {
        guard sinks.anyKeepsTime else { return .zero }
        let latency = sinks.waitsForAnsweredLatency ? max(latency, answeredLatency) : latency
        return max(latency + sinks.offset, .zero)
    }

    /// Number of frames downstream while all frames are in time.
    ///
    /// By Little's law, these are the frames that start during the latency, plus the last sample of a sink and the
    /// frame being processed.
    @inline(__always) var framesInLatency: UInt32 {
        let permitted = permittedWait
        guard permitted > .zero else { return 2 }
        let (frames, rest) = permitted.attoseconds.quotientAndRemainder(dividingBy: frameDuration.attoseconds)
        return UInt32(min(frames, 4094)) + (rest > 0 ? 3 : 2)
    }

    /// A LATENCY event arrived; discards the learned processing time.
    public mutating func latencyEventArrived(_ latency: Duration, _ sinks: SinkTiming) {
        (self.latency, self.sinks) = (latency, sinks)
        overloadEnded()
    }

    /// New caps arrived.
    mutating func capsChanged(_ kind: StreamKind, frameDuration: Duration?) {
        (self.kind, capsFrameDuration) = (kind, frameDuration)
        (meanDuration, meanSpacing, lastStart) = (nil, nil, nil)
    }

    mutating func frameEntered(_ frame: QueuedFrame) {
        defer { lastStart = frame.startsAt ?? lastStart }
        guard capsFrameDuration == nil, let start = frame.startsAt else { return }
        if let end = frame.endsAt, end > start {
            meanDuration = Self.mean(
                meanDuration, max((end - start) / Int(max(frame.count, 1)), .nanoseconds(1)))
        } else if let lastStart, start > lastStart {
            meanSpacing = Self.mean(meanSpacing, (start - lastStart) / Int(sharing))
        }
        // Packets of one picture share a timestamp.
        sharing = start == lastStart ? min(sharing, .max - frame.count) + frame.count : max(frame.count, 1)
    }

    /// Exponential mean with weight 1/8; clamps outliers to 16 times the mean.
    private static func mean(_ before: Duration?, _ new: Duration) -> Duration {
        guard let before else { return new }
        return before - (before / 8) + (min(new, before * 16) / 8)
    }

    /// A frame left the queue at `now`.
    mutating func framePushed(_ frame: QueuedFrame, now: Duration) {
        guard let bornAt = frame.bornAt else { return }
        pushed.append(.init(bornAt: bornAt, age: now - bornAt))
    }

    /// The push of a frame returned after `time`; the frame had age 0 at `bornAt` and left the queue with `age`.
    ///
    /// A sink in the same streaming thread returns from the push after it rendered the frame.
    mutating func pushReturned(bornAt: Duration, age: Duration, after time: Duration) {
        frameShown(bornAt: bornAt, age: age + time, leftAt: age, after: time)
    }

    /// A frame was released at `now`; it had age 0 at `bornAt` and was pushed `time` before `now`.
    mutating func frameReleased(bornAt: Duration, after time: Duration, now: Duration) {
        guard permittedWait > .zero else { return }
        // A sink releases a frame when it renders the next one.
        let shown = pushed.successor(of: bornAt)
        let spacing = shown.map { $0.bornAt - bornAt } ?? frameDuration
        let age = now - bornAt - spacing
        let shownBornAt = bornAt + spacing
        guard let leftAt = shown?.age else {
            return frameShown(bornAt: shownBornAt, age: age, leftAt: nil, after: time)
        }
        frameShown(bornAt: shownBornAt, age: age, leftAt: leftAt, after: max(age - leftAt, .zero))
    }

    /// A frame with age 0 at `bornAt` was rendered with `age`.
    ///
    /// It left the queue with the age `leftAt`. Downstream required at most `time`.
    private mutating func frameShown(bornAt: Duration, age: Duration, leftAt: Duration?, after time: Duration) {
        let permitted = permittedWait
        guard permitted > .zero else { return }
        let late = age - permitted
        // A push into another queue returns before the frame is rendered, so an early return gives no information.
        guard late >= .zero else { return }
        guard late <= Self.timerSlack else {
            return wasLate(bornAt, by: late - Self.timerSlack, after: time, permitted)
        }
        if let leftAt { lowerProcessing(leftAt: leftAt, permitted) }
        wasInTime(bornAt)
    }

    /// Raises `processing` after a frame was late by `late`, at most to the time that downstream held the frame.
    private mutating func wasLate(
        _ bornAt: Duration, by late: Duration, after time: Duration, _ permitted: Duration
    ) {
        var counted = Duration.zero
        if let lastLate, PushedFrames.isSame(bornAt, lastLate.bornAt) { counted = lastLate.by }
        guard late > counted else { return }
        lastLate = (bornAt, late)
        if let before = processingBefore {
            processing = max(processing, before)
            processingBefore = nil
            streak = min(streak * 2, Self.longestStreak)
        }
        // Adds only a quarter of the lateness, because the load of the machine may delay a single frame.
        processing = min(min(processing + ((late - counted) / 4), max(processing, time)), permitted)
        inTime = 0
    }

    private mutating func lowerProcessing(leftAt: Duration, _ permitted: Duration) {
        let most = max(permitted - leftAt, .zero)
        if processing > most { processing -= (processing - most) / 2 }
    }

    /// Counts a frame in time, and halves `processing` as a trial after `streak` such frames.
    ///
    /// The trial shows whether frames can leave later and still be in time.
    private mutating func wasInTime(_ bornAt: Duration) {
        if let lastInTime, PushedFrames.isSame(bornAt, lastInTime) { return }
        lastInTime = bornAt
        inTime = min(inTime + 1, Self.longestStreak)
        guard inTime >= streak, processing > .zero else { return }
        processingBefore = processing
        processing = processing > Self.timerSlack ? processing / 2 : .zero
        inTime = 0
    }

    /// Discards the learned processing time after an overload.
    mutating func overloadEnded() {
        (processing, processingBefore) = (.zero, nil)
        (inTime, streak) = (0, Self.shortestStreak)
    }

    mutating func discontinued() {
        (lastStart, lastInTime, lastLate) = (nil, nil, nil)
        pushed.reset()
    }
}

/// The last 64 pushed frames, with the time of age 0 and the age at the push.
///
/// A sink releases a frame when it renders the next one, so a release gives the render time of the next frame.
struct PushedFrames: Sendable {
    struct Frame: Sendable {
        /// Time at which the frame had age 0, by the clock of the queue.
        var bornAt = Duration.zero
        /// Age at which the frame left the queue.
        var age = Duration.zero
    }

    private static let size = 64
    /// Error of conversions between running time and clock time.
    private static let rounding = Duration.microseconds(1)
    // Fixed size, because the streaming thread must not allocate.
    private var frames = InlineArray<64, Frame>(repeating: Frame())
    private var count = 0
    private var next = 0

    mutating func append(_ frame: Frame) {
        frames[next] = frame
        next = (next + 1) % Self.size
        count = min(count + 1, Self.size)
    }

    /// The frame pushed after the frame with age 0 at `time`; nil if one of the two is not recorded.
    @inline(__always) func successor(of time: Duration) -> Frame? {
        var found: Frame?
        for index in 0..<count {
            let frame = frames[(next + Self.size - 1 - index) % Self.size]
            guard frame.bornAt - time > Self.rounding else { return found }
            found = frame
        }
        return nil
    }

    /// Whether two values of `bornAt` belong to the same frame.
    static func isSame(_ a: Duration, _ b: Duration) -> Bool { max(a - b, b - a) <= rounding }

    mutating func reset() { count = 0 }
}
