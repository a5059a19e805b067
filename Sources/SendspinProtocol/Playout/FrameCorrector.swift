import Durations

/// Decides when single frames are inserted or dropped, so that each frame is played at its time.
///
/// Without corrections the error of a device is a line, whose slope is the error of its crystal. The corrector estimates
/// this line from measurements (`ErrorEstimator`). The effect of its own corrections is known exactly and is added, so no
/// control loop is closed and nothing can oscillate. A frame is inserted or dropped when the sum differs from 0 by more
/// than half a frame and a margin; the corrections of a constant rate are therefore evenly spread.
///
/// The limits are those of a rate that nobody hears: one frame per 25 ms at 48 kHz is 0.08 %, or 1.4 cents.
public struct FrameCorrector: Sendable {
    /// Shortest distance of two corrections, for at most 48000 frames per second.
    ///
    /// At a higher rate a frame is shorter, and so is the distance.
    static let interval = 25e-3
    /// Time after the start in which only snaps correct the error.
    static let quietStart = 1.0
    /// Error that single frames would correct too slowly.
    static let snapError = 1e-3
    /// Time for which an error must be measured before a snap.
    static let snapSpan = 0.2
    /// Number of measurements of an error before a snap.
    static let snapCount = 5
    /// Error in seconds above half a frame that is not corrected.
    static let margin = 5e-6
    /// Additional margin in seconds for a correction in the direction opposite to the previous one.
    static let turnMargin = 10e-6
    /// Additional margin for a turn per standard deviation of the error.
    static let turnMarginPerDeviation = 1.5
    /// Largest additional margin for a turn in seconds.
    static let maxTurnMargin = 60e-6
    /// Time after the last measurement in seconds after which nothing is corrected.
    static let maxAge = 5.0

    /// Frames per second.
    public let rate: Int
    /// Number of frames inserted one by one.
    public private(set) var insertedCount = 0
    /// Number of frames dropped one by one.
    public private(set) var droppedCount = 0
    /// Number of snaps.
    public private(set) var snapCount = 0

    private var estimator = ErrorEstimator()
    /// Frames that passed since the discontinuity, without those that were inserted.
    private var passed = 0
    /// Frames inserted minus frames dropped.
    private var applied = 0
    /// Frames of a snap that the next buffers insert or drop.
    private var pendingSnap = 0
    private var lastCorrection = -Double.infinity
    private var lastDirection = 0

    /// A corrector of a stream with `rate` frames per second.
    public init(rate: Int) { self.rate = max(rate, 1) }

    /// Step by which the clock of the device moves; zero for a smooth clock.
    ///
    /// A clock that moves in steps is read just after a step, or at times without relation to the steps.
    public var resolution: Duration {
        get { Duration(seconds: estimator.resolution) }
        set { estimator.resolution = min(max(newValue.inSeconds, 0), 1) }
    }

    /// Estimated error of the next frame: the time at which it is played minus its intended time.
    ///
    /// Nil before the first measurement.
    public var error: Duration? {
        guard estimator.count > 0 else { return nil }
        return Duration(seconds: error(at: position))
    }

    /// Estimated frequency error of the device: positive if it plays too slowly.
    public var drift: Double { estimator.line.rate }

    /// Takes a measurement: the time at which the next frame will be played minus its intended time.
    ///
    /// The next frame is the first one of the buffer for which `plan` is called next. All corrections that `plan` returned
    /// before must be part of the measurement. While the clock of the device stands still there is nothing to measure.
    public mutating func measured(_ error: Duration) {
        // An hour is far more than a snap may correct.
        let seconds = error.inSeconds
        guard seconds.magnitude < 3600 else { return }
        estimator.add(x: position, y: seconds - correction)
    }

    /// The device was paused, had an underrun, or the stream jumped: the error is unknown, the rate is not.
    public mutating func discontinuity() {
        estimator.forgetOffset()
        passed = 0
        applied = 0
        pendingSnap = 0
        lastCorrection = -.infinity
        lastDirection = 0
    }

    /// Returns the corrections of the next `frames` frames.
    public mutating func plan(_ frames: Int) -> CorrectionPlan {
        guard frames > 0 else { return .unchanged(max(frames, 0)) }
        var plan = CorrectionPlan.unchanged(frames)
        startSnapIfNeeded()
        if pendingSnap != 0 {
            plan.kind = .snap
            // The length of a buffer that is inserted is limited; the rest follows with the next buffer.
            plan.change = min(max(pendingSnap, -frames), max(rate / 10, 1))
            pendingSnap -= plan.change
            lastCorrection = position + Double(frames) / Double(rate)
        } else {
            planSingleFrames(&plan)
        }
        applied += plan.change
        passed += frames
        return plan
    }

    private var position: Double { Double(passed) / Double(rate) }
    private var correction: Double { Double(applied) / Double(rate) }
    private var frame: Double { 1 / Double(rate) }

    private func error(at x: Double) -> Double { estimator.line.error(at: x) + correction }

    private mutating func startSnapIfNeeded() {
        guard pendingSnap == 0, estimator.count >= Self.snapCount, estimator.span >= Self.snapSpan else { return }
        let error = error(at: position)
        guard error.magnitude - 2 * estimator.line.offsetDeviation > Self.snapError else { return }
        pendingSnap = -Int((error * Double(rate)).rounded())
        snapCount += 1
    }

    private mutating func planSingleFrames(_ plan: inout CorrectionPlan) {
        let length = Double(plan.frames) / Double(rate)
        let interval = Self.interval * min(1, 48e3 / Double(rate))
        guard position >= Self.quietStart, position - estimator.line.x < Self.maxAge,
            estimator.count >= ErrorEstimator.leastCount
        else { return }
        let error = error(at: position + length / 2)
        let direction = error > 0 ? -1 : 1
        var limit = frame / 2 + Self.margin
        // An estimate that varies must not reverse the direction.
        if direction != lastDirection {
            limit += min(Self.turnMarginPerDeviation * estimator.line.offsetDeviation, Self.maxTurnMargin)
            if lastDirection != 0 { limit += Self.turnMargin }
        }
        // The first correction is in the middle of its part of the buffer.
        guard error.magnitude > limit else { return }
        let wanted = max(Int((error.magnitude * Double(rate)).rounded()), 1)
        let possible = Int((length / interval).rounded(.down))
        let count = min(wanted, max(possible, 1))
        let spacing = plan.frames / count
        let first = position + Double(spacing / 2) / Double(rate)
        // Buffers of exactly the interval must not miss it by a rounding error.
        guard first - lastCorrection >= interval * 0.999 else { return }
        plan.kind = .single
        plan.change = direction * count
        plan.spacing = spacing
        lastCorrection = first + Double((count - 1) * spacing) / Double(rate)
        lastDirection = direction
        if direction > 0 { insertedCount += count } else { droppedCount += count }
    }
}
