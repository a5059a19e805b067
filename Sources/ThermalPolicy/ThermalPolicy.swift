import MachineState

/// Decides how far bitrate, frame rate and size are reduced; it takes at most one step for each reading of the sensors.
public struct ThermalPolicy: Sendable {
    public struct Settings: Sendable, Equatable {
        /// The rules, without those that depend on the machine and the pipeline.
        public var rules = LadderRules()
        public var times = LadderClimb.Times()
        public var neverStops = false
        /// Hysteresis in degrees for sensors that do not provide one.
        public var hysteresis = 5.0
        public var forecast = Duration.seconds(10)
        /// Patterns for the names of sensors; nil for the default selection.
        public var zones: String?
        /// Replaces the level of the sensors.
        public var forcedLevel: ThermalLevel?

        public init() {}
    }

    /// The state of the pipeline and the machine.
    public struct Conditions: Sendable {
        /// An order without limits.
        public var order = CapsPlan.Order()
        /// The caps of the source; nil before the first caps.
        public var reference: VideoCaps?
        /// Whether fewer pixels are possible.
        public var mayChangeSize = true
        public var hasEncoder = false
        public var tier = DeviceTier.high

        public init() {}
    }

    /// The result of one decision.
    public struct Step: Sendable {
        public var heat = HeatReport()
        /// The reasons other than heat for the present reduction.
        public var reasons: [String] = []
        /// The time of the next step if nothing changes; nil if none is expected.
        public var due: Duration?
        /// The levels of the user's ladder that are below the minimum.
        public var raised: [ThermalLevel] = []
        /// The caps that the application may replace; nil if no signal is emitted.
        public var question: VideoCaps?
        /// Whether the answer of the application was below the minimum.
        public var isAnswerRaised = false
        /// The limits for caps and bitrate, before the conditions of the pipeline are applied.
        public var limits = QualityLimits()
        /// The order for the caps; nil before the first caps.
        public var order: CapsPlan.Order?

        fileprivate var index = 0
        fileprivate var reference: VideoCaps?
        fileprivate var full = 0.0
        fileprivate var rules = LadderRules()
        fileprivate var conditions = Conditions()

        /// The order for the encoder, whose input has the caps `made`.
        public func bitrateOrder(for made: VideoCaps) -> BitrateOrder {
            BitrateOrder(
                share: limits.bitrateShare, pixelsPerSecond: made.pixelsPerSecond,
                fullPixelsPerSecond: limits.isShareExact ? nil : full)
        }

        /// The reduction in words.
        public func action(made: VideoCaps, bitrateShare: Double) -> String {
            reference.map { QualityLadder.action(made, of: $0, bitrateShare: bitrateShare) } ?? "none"
        }

        fileprivate mutating func setLimits(_ limits: QualityLimits) {
            self.limits = limits
            var order = conditions.order
            order.limits = rules.mayChangeSize ? limits : limits.withoutSizeLimits
            if !rules.mayDrop { order.limits = order.limits.withoutRateLimit }
            self.order = order
        }
    }

    private var judge = ThermalJudge()
    private var climb = LadderClimb()
    private var ladder: QualityLadder?
    /// The last rung and level, and the limits that the application has set for them.
    private var decided: (index: Int, level: ThermalLevel, byApplication: QualityLimits?)?

    public init() {}

    // MARK: Requests of other elements

    public mutating func degrade(_ reason: String, until end: Duration? = nil) { climb.degrade(reason, until: end) }

    public mutating func restore(_ reason: String) { climb.restore(reason) }

    // MARK: Decisions

    /// Computes the next step; `reading` is nil if the sensors have no reading yet.
    public mutating func decide(
        _ reading: ThermalReading?, _ conditions: Conditions, _ settings: Settings, at now: Duration
    ) -> Step {
        var step = Step()
        step.heat = heat(reading, settings, at: now)
        step.conditions = conditions
        step.rules = settings.rules
        step.rules.tier = conditions.tier
        step.rules.mayChangeSize = conditions.mayChangeSize
        step.rules.mayDrop = !(conditions.reference?.isFields ?? false)
        step.rules.hasEncoder = conditions.hasEncoder
        climb.times = settings.times
        climb.survivesShutdown = settings.neverStops
        let before = ladder
        ladder = conditions.reference.map { QualityLadder(for: $0, step.rules) }
        guard let reference = conditions.reference, let ladder else {
            step.reasons = climb.reasons
            return step
        }
        if let before, before != ladder { climb.mapRungs { ladder.rung(like: $0, of: before, for: reference) } }
        step.index = climb.update(step.heat.level, entries: ladder.rungs.map(\.entry), now: now)
        step.reasons = climb.reasons
        step.due = climb.due
        step.raised = ladder.raised
        step.reference = reference
        step.full = ladder.rungs[0].limits.fit(reference).pixelsPerSecond
        selectLimits(ladder.rungs[step.index].limits, &step)
        return step
    }

    /// Applies the answer of the application to the question in `step`; nil accepts the offered caps.
    public mutating func answer(_ answer: QualityLimits?, to step: Step) -> Step {
        var step = step
        step.question = nil
        let raised = step.reference.flatMap { answer?.raised(to: step.rules, for: $0) }
        step.isAnswerRaised = raised != answer
        decided = (step.index, step.heat.level, raised)
        step.setLimits(raised ?? step.limits)
        return step
    }

    private mutating func selectLimits(_ limits: QualityLimits, _ step: inout Step) {
        let (index, level) = (step.index, step.heat.level)
        step.setLimits(limits)
        if let decided, decided.index == index, decided.level == level {
            step.setLimits(decided.byApplication ?? limits)
        } else if decided == nil, index == 0, level <= .nominal {
            decided = (index, level, nil)
        } else {
            step.question = step.reference.map(limits.fit)
        }
    }

    private mutating func heat(_ reading: ThermalReading?, _ settings: Settings, at now: Duration) -> HeatReport {
        judge.hysteresis = settings.hysteresis
        judge.horizon = settings.forecast
        var heat = HeatReport()
        if let reading {
            heat = judge.judge(reading.chosen(by: GlobPatterns(settings.zones)), beside: reading.zones, at: now)
        }
        if let level = settings.forcedLevel { (heat.level, heat.cause) = (level, .forced) }
        return heat
    }
}
