import GStreamer
import StreamControl

/// One look at everything, again and again; belongs to the deciding thread.
struct ThermalRound {
    private let control: ThermalControl
    private let host: ElementHost
    private var judge = ThermalJudge()
    private var encoder: EncoderControl?
    private var sensors: MachineSensors?
    private var sensing: MachineSensors.Use?
    /// What the application, or the ladder, last decided, and on what grounds.
    private var decided: (index: Int, level: ThermalLevel, byApplication: QualityLimits?)?
    private var ladder: QualityLadder?
    private var news: ThermalNews

    init(_ control: ThermalControl) {
        self.control = control
        host = control.host
        news = ThermalNews(control)
    }

    /// When the next look is due; nil when it has time until the next reading.
    mutating func run() -> Duration? {
        let settings = control.settings
        guard settings.isEnabled else {
            encoder?.findObstacle(mayChangeCaps: settings.mayChangeSize == .yes)
            if encoder?.isBound == false { giveEncoderBack() }
            rest(surroundings(settings, host.elementsDownstream()))
            return nil
        }
        let now = ThermalControl.now
        if sensors == nil {
            sensors = MachineSensors.at(system: settings.systemRoot ?? "/sys")
            sensing = sensors?.beginUse(interval: settings.pollInterval, onReading: control.wake)
        }
        let heat = look(settings, now)
        let neighbours = host.elementsDownstream()
        findEncoder(settings, neighbours)
        return decide(heat, settings, surroundings(settings, neighbours), now)
    }

    /// Gives everything back, but for caps: the last frames are on their way, and a muxer may be behind.
    mutating func finish() {
        giveEncoderBack()
        rest(nil)
    }

    /// An order without limits: what the elements around allow.
    private func surroundings(_ settings: ThermalCapsSettings, _ downstream: [ElementReference]) -> StreamPlan.Order {
        let upstream = host.elementsUpstream()
        var order = StreamPlan.Order()
        order.capsStay =
            switch settings.mayChangeSize {
            case .yes: false
            case .no: true
            case .auto: downstream.contains { $0.refusesNewCaps }
            }
        order.isShared = upstream.contains { $0.factory == "tee" && $0.linkedOutputs > 1 }
        order.isCut = !upstream.allSatisfy(\.passesSizesOn)
        return order
    }

    /// Does nothing, and has done nothing, but for caps that may not go back while they must stay.
    private mutating func rest(_ order: StreamPlan.Order?) {
        if let sensing { sensors?.endUse(sensing) }
        (sensors, sensing) = (nil, nil)
        decided = nil
        ladder = nil
        news.forget()
        judge = ThermalJudge()
        control.withClimb { $0 = LadderClimb() }
        if let order, control.plan.withLock({ $0.take(order) }) { renegotiate() }
        let now = ThermalControl.now
        control.report.facts.withLock { facts in
            facts.durations.pause(at: now)
            facts.heat = HeatReport()
            facts.action = "none"
            facts.reasons = []
        }
    }

    // MARK: Sensors

    private mutating func look(_ settings: ThermalCapsSettings, _ now: Duration) -> HeatReport {
        judge.hysteresis = settings.hysteresis
        judge.horizon = .nanoseconds(Int64(clamping: settings.horizon))
        var heat = HeatReport()
        if let reading = sensors?.thermal(now: Monotonic.now) {
            let chosen = reading.chosen(by: GlobPatterns(settings.zones))
            heat = judge.judge(chosen, beside: reading.zones, at: now)
            news.tell(reading, heat, settings)
        }
        if let level = settings.forced.level { (heat.level, heat.cause) = (level, .forced) }
        return heat
    }

    // MARK: Decisions

    /// Decides on the step, has it taken, and gives when the next may follow.
    private mutating func decide(
        _ heat: HeatReport, _ settings: ThermalCapsSettings, _ order: StreamPlan.Order, _ now: Duration
    ) -> Duration? {
        let (reference, isFields) = control.plan.withLock { ($0.reference, $0.isFields) }
        var rules = settings.rules
        rules.tier = settings.tier.value(machine: sensors?.tier ?? .high)
        rules.mayChangeSize = !order.capsStay && !isFields && reference.map { canShrink($0, order) } ?? true
        rules.mayDrop = !isFields
        rules.hasEncoder = encoder.map { $0.obstacle == nil } ?? false
        let ladder = reference.map { QualityLadder(for: $0, rules) }
        let before = self.ladder
        self.ladder = ladder
        let (index, reasons, due) = control.withClimb { climb in
            if let before, let ladder, let reference, before != ladder {
                climb.stand { ladder.rung(like: $0, of: before, for: reference) }
            }
            climb.times = settings.times
            climb.survivesShutdown = settings.neverStops
            let index = ladder.map { climb.update(heat.level, entries: $0.rungs.map(\.entry), now: now) }
            return (index ?? climb.index, climb.reasons, index == nil ? nil : climb.due)
        }
        var action = "none"
        if let ladder, let reference, ladder.rungs.indices.contains(index) {
            news.tell(raised: ladder.raised, "custom-ladder", settings)
            let limits = limits(ladder.rungs[index].limits, index, heat.level, reference, settings)
            var order = order
            order.limits = rules.mayChangeSize ? limits : limits.ofAnySize
            if !rules.mayDrop { order.limits = order.limits.ofAnyRate }
            let made = apply(order) ?? reference
            let full = ladder.rungs[0].limits.fit(reference).pixelsPerSecond
            turnEncoder(
                to: BitrateOrder(
                    share: limits.bitrateShare, pixelsPerSecond: made.pixelsPerSecond,
                    fullPixelsPerSecond: limits.isShareExact ? nil : full))
            action = QualityLadder.action(made, of: reference, bitrateShare: encoder?.share ?? 1)
        }
        news.note(heat, action, reasons, now)
        if heat.level == .shutdown, !settings.neverStops { news.end(heat) }
        return due
    }

    /// What the ladder says, unless the application says otherwise.
    private mutating func limits(
        _ limits: QualityLimits, _ index: Int, _ level: ThermalLevel, _ reference: Picture,
        _ settings: ThermalCapsSettings
    ) -> QualityLimits {
        if let decided, decided.index == index, decided.level == level { return decided.byApplication ?? limits }
        if decided == nil, index == 0, level <= .nominal {
            decided = (index, level, nil)
            return limits
        }
        let caps = limits.fit(reference).caps
        let answer: String? =
            switch host.emit(ThermalCaps.configureCaps, .string(level.name), .caps(caps)) {
            case .caps(let text): text
            default: nil
            }
        var chosen: QualityLimits?
        if let answer {
            do throws(ElementError) {
                let wanted = try QualityLimits(answer: answer, at: level, own: limits)
                chosen = wanted.raised(to: settings.rules, for: reference)
                if chosen != wanted { news.tell(raised: [level], "The answer to configure-caps", settings) }
            } catch { news.tell(uselessAnswer: error) }
        }
        decided = (index, level, chosen)
        return chosen ?? limits
    }

    /// Whether fewer pixels can be had, here or of the source, and are taken.
    private func canShrink(_ picture: Picture, _ order: StreamPlan.Order) -> Bool {
        let (width, height) = (Int32(clamping: picture.width), Int32(clamping: picture.height))
        guard control.stream.downstreamTakesLess(than: width, height) else { return false }
        if control.plan.withLock({ $0.isScalable }) { return true }
        let least = QualityLimits(shortSide: QualityLimits.leastSide).fit(picture)
        let offers = control.stream.sourceOffers().map(SourceOffer.init)
        let smallest = SourceOffer.cheapest(offers, target: least, full: picture)
        return !order.isShared && !order.isCut && smallest.map { $0.width < picture.width } ?? false
    }

    /// Has it done, and gives what becomes of the stream.
    private func apply(_ order: StreamPlan.Order) -> Picture? {
        let now = ThermalControl.now
        let (isNew, made) = control.plan.withLock { ($0.take(order), $0.made(at: now)) }
        if isNew { renegotiate() }
        return made
    }

    private func renegotiate() {
        // In this order: a shape that is agreed on before the source is asked would be taken for the last word.
        control.stream.requestUpstreamChange()
        control.stream.requestReshape()
    }

    // MARK: The encoder

    private mutating func findEncoder(_ settings: ThermalCapsSettings, _ neighbours: [ElementReference]) {
        let wanted: ElementReference? =
            if let name = settings.encoder { host.neighbour(named: name) } else {
                neighbours.first { EncoderBitrate.of(factory: $0.factory) != nil }
            }
        defer { encoder?.findObstacle(mayChangeCaps: settings.mayChangeSize == .yes) }
        guard wanted?.identity != encoder?.encoder.identity || wanted == nil else { return }
        // One that is no longer there gets back what it had.
        giveEncoderBack()
        encoder = wanted.flatMap { EncoderControl($0) }
        if encoder == nil, let name = settings.encoder { news.tell(noEncoder: name, isThere: wanted != nil) }
    }

    private mutating func giveEncoderBack() {
        encoder?.giveBack()
        encoder = nil
    }

    private mutating func turnEncoder(to order: BitrateOrder) {
        guard encoder != nil else { return }
        encoder?.move(to: order)
        let found = encoder?.look(pixelsPerSecond: order.pixelsPerSecond)
        guard let encoder else { return }
        if let obstacle = encoder.obstacle { news.tell(obstacle, of: encoder.encoder) }
        guard let found else { return }
        control.report.facts.withLock { $0.bitrate = found.bitsPerSecond }
        news.tell(found.verdict, of: encoder.encoder)
    }
}

extension ElementReference {
    /// Muxers that take new caps in the middle of a stream; files and Flash do not.
    private static let lenientMuxers: Set<String> = ["mpegtsmux", "mpegpsmux", "multipartmux"]
    /// It writes the size once, at the head of its file.
    private static let rawWriter = "y4menc"

    /// What shows the same at any size, when its source makes another; others place, cut or draw by pixels.
    private static let neutral: Set<String> = [
        "Source", "Converter", "Scaler", "Generic", "Decoder", "Parser", "Demuxer",
    ]
    private static let neutralFilters: Set<String> = ["videorate", "valve"]

    var passesSizesOn: Bool {
        inputs <= 1 && (!Self.neutral.isDisjoint(with: classes) || Self.neutralFilters.contains(factory))
    }

    var refusesNewCaps: Bool {
        let factory = factory
        return factory == Self.rawWriter || (classes.contains("Muxer") && !Self.lenientMuxers.contains(factory))
    }
}

extension TierChoice {
    func value(machine: DeviceTier) -> DeviceTier {
        switch self {
        case .auto: machine
        case .low: .low
        case .medium: .medium
        case .high: .high
        }
    }
}
