import Durations

/// Decides when single frames are inserted or dropped, so that each frame is played on time.
///
/// Without corrections, the error of a device is a line over time, whose slope is the rate error of its crystal.
/// `ErrorEstimator` estimates this line. The effect of earlier corrections is known exactly and is added to the line,
/// so there is no control loop that could oscillate. If the sum exceeds half a frame plus a margin, a frame is inserted
/// or dropped. At a constant rate, the corrections are therefore evenly spaced.
///
/// The change of the pitch is inaudible: one frame per 25 ms at 48 kHz is 0.08 %, or 1.4 cents.
public struct FrameCorrector: Sendable {
    /// Minimum time in seconds between corrections at up to 48 kHz; at higher rates, it is the same number of frames.
    static let interval = 25e-3
    /// Time in seconds after the start in which only snaps correct the error.
    static let quietStart = 1.0
    /// Error in seconds above which a snap inserts or drops many frames at once.
    static let snapError = 1e-3
    /// Minimum time in seconds that the measurements cover before a snap.
    static let snapSpan = 0.2
    /// Minimum number of measurements before a correction.
    static let snapCount = 5
    /// Margin in seconds: an error is corrected if it exceeds half a frame plus this time.
    static let margin = 5e-6
    /// Additional margin in seconds for a reversal of the direction.
    static let turnMargin = 10e-6
    /// Additional margin per standard deviation of the error, for a reversal and for the first correction.
    static let turnMarginPerDeviation = 1.5
    /// Maximum in seconds of the margin that depends on the standard deviation.
    static let maxTurnMargin = 60e-6
    /// Maximum age in seconds of the last measurement at which single frames are inserted or dropped.
    static let maxAge = 5.0

    /// Frames per second.
    public let rate: Int
    /// Number of single frames that were inserted.
    public private(set) var insertedCount = 0
    /// Number of single frames that were dropped.
    public private(set) var droppedCount = 0
    /// Number of snaps.
    public private(set) var snapCount = 0

    private var estimator = ErrorEstimator()
    /// Input frames since the last discontinuity.
    private var passed = 0
    /// Inserted minus dropped frames since the last discontinuity.
    private var applied = 0
    /// Frames of a snap that the next buffers must insert or drop.
    private var pendingSnap = 0
    private var lastCorrection = -Double.infinity
    private var lastDirection = 0

    /// Creates a corrector for `rate` frames per second.
    public init(rate: Int) { self.rate = max(rate, 1) }

    /// Whether the clock of the device is smoothed between reports that may be wrong for seconds, as by a sound server.
    ///
    /// A change of the error below 10 ms then counts as real if it is constant for 5 s or lasts for 10 s, at the start 20 s,
    /// instead of after some measurements. For the first 15 s, the rate is assumed to be that of a crystal; a rate above about
    /// 250 ppm is found within 25 s.
    public var isSmoothed: Bool {
        get { estimator.isSmoothed }
        set { estimator.isSmoothed = newValue }
    }

    /// Estimated time at which the next frame is played minus its intended time; nil before the first measurement.
    public var error: Duration? {
        guard estimator.count > 0 else { return nil }
        return Duration(seconds: error(at: position))
    }

    /// Estimated frequency error of the device; positive if the device plays too slowly.
    public var drift: Double { estimator.line.rate }

    /// Adds a measurement: the time at which the next frame will be played minus its intended time.
    ///
    /// The next frame is the first frame of the next `plan`. The measurement must include all corrections that `plan`
    /// has returned. Do not call this method while the device's clock stands still.
    public mutating func measured(_ error: Duration) {
        // A measurement of an hour or more is ignored, because no snap corrects so much.
        let seconds = error.inSeconds
        guard seconds.magnitude < 3600 else { return }
        estimator.add(x: position, y: seconds - correction)
    }

    /// Handles a pause, an underrun or a jump of the stream: the error is unknown afterwards, but the rate is known.
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
            // The number of frames that one buffer inserts is limited; the next buffers insert the others.
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
        guard position >= Self.quietStart, position - estimator.newest < Self.maxAge,
            estimator.count >= Self.snapCount
        else { return }
        let error = error(at: position + length / 2)
        let direction = error > 0 ? -1 : 1
        var limit = frame / 2 + Self.margin
        // An uncertain estimate must neither choose the first direction nor reverse it.
        if direction != lastDirection {
            limit += min(Self.turnMarginPerDeviation * estimator.line.offsetDeviation, Self.maxTurnMargin)
            if lastDirection != 0 { limit += Self.turnMargin }
        }
        guard error.magnitude > limit else { return }
        let wanted = max(Int((error.magnitude * Double(rate)).rounded()), 1)
        let possible = Int((length / interval).rounded(.down))
        let count = min(wanted, max(possible, 1))
        let spacing = plan.frames / count
        let first = position + Double(spacing / 2) / Double(rate)
        // Each correction is in the middle of its part of the buffer. A rounding error must not prevent a correction at
        // a distance of exactly one interval.
        guard first - lastCorrection >= interval * 0.999 else { return }
        plan.kind = .single
        plan.change = direction * count
        plan.spacing = spacing
        lastCorrection = first + Double((count - 1) * spacing) / Double(rate)
        lastDirection = direction
        if direction > 0 { insertedCount += count } else { droppedCount += count }
    }
}
