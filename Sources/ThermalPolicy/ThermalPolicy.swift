import MachineState

/// Decides how far bitrate, frame rate and size are reduced, by at most one step per decision except at shutdown.
public struct ThermalPolicy: Sendable {
    /// Settings of the user.
    public struct Settings: Sendable, Equatable {
        /// Rules of the user, and rules that follow from the machine and the pipeline.
        public var rules = LadderRules()
        /// Dwell times.
        public var times = LadderClimb.Times()
        /// Whether the stream continues at shutdown.
        public var neverStops = false
        /// Hysteresis in degrees for sensors that do not provide one.
        public var hysteresis = 5.0
        /// Time that the forecast looks ahead; zero for no forecast.
        public var forecast = Duration.seconds(10)
        /// Patterns for the names of sensors; nil for the default selection.
        public var zones: String?
        /// Level that replaces the level of the sensors; nil for none.
        public var forcedLevel: ThermalLevel?

        public init() {}
    }

    /// Result of one decision.
    public struct Step: Sendable {
        /// Level of heat, and its cause.
        public var heat = HeatReport()
        /// Reasons other than heat for the present reduction.
        public var reasons: [String] = []
        /// Time of the next step if nothing changes; nil if none is expected.
        public var due: Duration?
        /// Levels of the ladder of the user that are below the minimum.
        public var raised: [ThermalLevel] = []
        /// Caps that the application may replace; nil if no signal is emitted.
        public var question: VideoCaps?
        /// Whether the application requested less than the minimum, so that its limits were raised.
        public var isAnswerRaised = false
        /// Limits for caps and bitrate, before the conditions of the pipeline are applied.
        public var limits = QualityLimits()
        /// Order for the caps; nil before the first caps.
        public var order: CapsPlan.Order?

        /// Caps of the source, and pixels per second of full quality; nil before the first caps.
        var full: (caps: VideoCaps, pixelsPerSecond: Double)?

        /// Order for the encoder, whose input has the caps `made`.
        public func bitrateOrder(for made: VideoCaps) -> BitrateOrder {
            BitrateOrder(
                share: limits.bitrateShare, pixelsPerSecond: made.pixelsPerSecond,
                fullPixelsPerSecond: limits.isShareExact ? nil : full?.pixelsPerSecond)
        }

        /// Describes the reduction, such as `1280x720, bitrate 70%`.
        public func action(made: VideoCaps, bitrateShare: Double) -> String {
            full.map { QualityLadder.action(made, of: $0.caps, bitrateShare: bitrateShare) } ?? "none"
        }

        mutating func setLimits(_ limits: QualityLimits, _ rules: LadderRules, _ order: CapsPlan.Order) {
            self.limits = limits
            var order = order
            order.limits = rules.mayChangeSize ? limits : limits.withoutSizeLimits
            if !rules.mayDrop { order.limits.rate = nil }
            self.order = order
        }
    }

    private var judge = ThermalJudge()
    private var climb = LadderClimb()
    private var ladder: QualityLadder?
    /// Last rung and level, and the limits that the application has set for them.
    private var decided: (index: Int, level: ThermalLevel, byApplication: QualityLimits?)?
    /// Step for which the signal to the application was emitted; nil after the answer.
    private var asked: (step: Step, index: Int, rules: LadderRules, order: CapsPlan.Order)?

    public init() {}

    // MARK: Requests of other elements

    /// Adds the request of another element for a step down; see `LadderClimb.degrade`.
    public mutating func degrade(_ reason: String, until end: Duration? = nil) { climb.degrade(reason, until: end) }

    /// Removes the request with this reason.
    public mutating func restore(_ reason: String) { climb.restore(reason) }

    // MARK: Decisions

    /// Computes the next step; `order` contains the conditions of the pipeline, but no limits.
    ///
    /// `reading` is nil before the first reading; `reference`, the caps of the source, is nil before the first caps.
    public mutating func decide(
        _ reading: ThermalReading?, _ order: CapsPlan.Order, _ reference: VideoCaps?, _ settings: Settings,
        at now: Duration
    ) -> Step {
        asked = nil
        var step = Step()
        step.heat = heat(reading, settings, at: now)
        var rules = settings.rules
        rules.mayDrop = !(reference?.isFields ?? false)
        climb.times = settings.times
        climb.survivesShutdown = settings.neverStops
        let before = ladder
        ladder = reference.map { QualityLadder(for: $0, rules) }
        guard let reference, let ladder else {
            step.reasons = climb.reasons
            return step
        }
        if let before, before != ladder { climb.mapRungs { ladder.rung(like: $0, of: before, for: reference) } }
        let level = step.heat.level
        let index = climb.update(level, entries: ladder.rungs.map(\.entry), now: now)
        step.reasons = climb.reasons
        step.due = climb.due
        step.raised = ladder.raised
        step.full = (reference, ladder.rungs[0].limits.fit(reference).pixelsPerSecond)
        let limits = ladder.rungs[index].limits
        step.setLimits(limits, rules, order)
        if let decided, decided.index == index, decided.level == level {
            if let limits = decided.byApplication { step.setLimits(limits, rules, order) }
        } else if decided == nil, index == 0, level <= .nominal {
            decided = (index, level, nil)
        } else {
            step.question = limits.fit(reference)
            asked = (step, index, rules, order)
        }
        return step
    }

    /// Step after the application has answered; a nil `answer` accepts the offered caps; nil if no caps were offered.
    public mutating func answered(_ answer: QualityLimits?) -> Step? {
        guard let (question, index, rules, order) = asked.take() else { return nil }
        var step = question
        step.question = nil
        let raised = step.full.flatMap { answer?.raised(to: rules, for: $0.caps) }
        step.isAnswerRaised = raised != answer
        decided = (index, step.heat.level, raised)
        if let raised { step.setLimits(raised, rules, order) }
        return step
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

/// Selects the rung of a ladder: steps to a lower quality after a short dwell, and back up after a long dwell.
///
/// A step down requires `downDwell` since the last change. A step up requires `upDwell` without requests and with heat
/// that permits a better quality. If a step down soon follows, `upDwell` doubles, up to `longestUpDwell`. While the
/// level is unknown, steps caused by heat are kept, and steps that were only requested are reverted.
public struct LadderClimb: Sendable {
    /// Dwell times between two steps.
    public struct Times: Sendable, Equatable {
        /// Shortest time between a step and the next step down.
        public var downDwell: Duration = .seconds(2)
        /// Time for which the heat must permit a better quality before a step up.
        public var upDwell: Duration = .seconds(40)
        /// Longest `upDwell`, after repeated steps up that were followed by a step down.
        public var longestUpDwell: Duration = .seconds(240)

        public init() {}
    }

    /// Dwell times.
    public var times = Times()
    /// Whether shutdown selects the last rung instead of ending the stream.
    public var survivesShutdown = false

    /// Present rung; 0 is full quality.
    public private(set) var index = 0
    /// Time of the next step, or of the end of a request; nil if neither is expected.
    public private(set) var due: Duration?
    /// Rung that the heat requires; at most `index`.
    private var heatRung = 0
    private var lastChange: Duration?
    private var calmSince: Duration?
    private var lastUp: Duration?
    private var doublings = 0
    private struct Request {
        /// Requested rung.
        var rung: Int
        /// End of the request; nil until `restore`.
        var end: Duration?
    }

    /// Requests by reason.
    private var requests: [String: Request] = [:]

    /// Maximum number of requests, because an element may use a new reason for each request.
    private static let mostRequests = 64

    public init() {}

    /// Reasons of all requests.
    public var reasons: [String] { requests.keys.sorted() }

    /// Adds the request of another element for a step down.
    ///
    /// Without `end` the request lasts until `restore`, and a repeated reason requests one more step. With `end` a
    /// repeated reason only changes the end, so that an element may repeat its request every second.
    public mutating func degrade(_ reason: String, until end: Duration? = nil) {
        let old = requests[reason]
        guard old != nil || requests.count < Self.mostRequests else { return }
        let more = min(max(index, old?.rung ?? 0) + 1, 1000)
        requests[reason] = Request(rung: end == nil ? more : old?.rung ?? more, end: end)
    }

    /// Removes the request with this reason.
    public mutating func restore(_ reason: String) { requests[reason] = nil }

    /// The ladder changed; `rung` maps each rung of the old ladder to a rung of the new one.
    ///
    /// Each request still requests at least one step.
    public mutating func mapRungs(_ rung: (Int) -> Int) {
        index = rung(index)
        heatRung = min(rung(heatRung), index)
        requests = requests.mapValues { Request(rung: max(1, rung($0.rung)), end: $0.end) }
    }

    /// Selects the rung, at most one step from the present rung, except at shutdown.
    ///
    /// `entries` are the lowest levels of the rungs; the first rung is full quality.
    public mutating func update(_ level: ThermalLevel, entries: [ThermalLevel], now: Duration) -> Int {
        let last = max(0, entries.count - 1)
        index = min(index, last)
        requests = requests.filter { $0.value.end.map { now < $0 } ?? true }
        let byHeat = level == .unknown ? min(heatRung, index) : entries.lastIndex { $0 <= level } ?? 0
        let byRequest = min(requests.values.map(\.rung).max() ?? 0, last)
        let wanted = max(level == .shutdown && survivesShutdown ? last : byHeat, byRequest)
        due = requests.values.compactMap(\.end).min()
        if wanted > index {
            calmSince = nil
            if hasPassed(times.downDwell, since: lastChange, now) {
                noteFall(now)
                index = level == .shutdown && survivesShutdown ? last : index + 1
                lastChange = now
            }
            if wanted > index { expect((lastChange ?? now) + times.downDwell) }
        } else if byHeat >= index || !requests.isEmpty {
            calmSince = nil
        } else {
            let start = calmSince ?? now
            calmSince = start
            if hasPassed(upDwell, since: max(start, lastChange ?? start), now) {
                if let up = lastUp, now - up > failureWindow { doublings = 0 }
                index -= 1
                lastUp = now
                lastChange = now
                calmSince = now
            }
            if byHeat < index { expect(max(calmSince ?? now, lastChange ?? now) + upDwell) }
        }
        heatRung = min(max(heatRung, byHeat), index)
        return index
    }

    /// Dwell before the next step up.
    public var upDwell: Duration {
        min(times.upDwell * (1 << min(doublings, 20)), max(times.longestUpDwell, times.upDwell))
    }

    /// A step down within this time shows that a step up has failed; machines take minutes to become hot again.
    private var failureWindow: Duration { max(upDwell, times.longestUpDwell) * 2 }

    private mutating func noteFall(_ now: Duration) {
        guard let up = lastUp else { return }
        if now - up <= failureWindow { doublings = min(doublings + 1, 20) } else { doublings = 0 }
        lastUp = nil
    }

    private mutating func expect(_ time: Duration) { due = min(due ?? time, time) }

    private func hasPassed(_ time: Duration, since: Duration?, _ now: Duration) -> Bool {
        guard let since else { return true }
        return now - since >= time
    }
}
