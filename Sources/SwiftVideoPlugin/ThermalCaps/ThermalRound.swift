import GStreamer
import StreamControl

/// One look at everything, again and again; belongs to the deciding thread.
struct ThermalRound {
    private let control: ThermalControl
    private let host: ElementHost
    private var judge = ThermalJudge()
    private var encoder: EncoderControl?
    private var sensors: MachineSensors?
    private var interval: UInt64 = 0
    private var tier = DeviceTier.high
    /// What the application, or the ladder, last decided, and on what grounds.
    private var decided: (index: Int, level: ThermalLevel, byApplication: QualityLimits?)?
    private var posted: (level: ThermalLevel, action: String)?
    private var told = Told()

    /// What is said once.
    private struct Told {
        var noSensor = false
        /// Readings in a row without a level.
        var blindReadings = 0
        var underVoltage = false
        var shutdown = false
        var ignored: Set<UInt> = []
    }

    init(_ control: ThermalControl) {
        self.control = control
        host = control.host
    }

    mutating func run() {
        let settings = control.settings
        guard settings.isEnabled else { return rest() }
        let now = ThermalControl.now
        let root = settings.systemRoot ?? "/sys"
        if sensors == nil {
            interval = settings.pollInterval
            sensors = MachineSensors.at(system: root)
            sensors?.beginUse(interval: interval)
            tier = Machine.tier(systemRoot: root)
        }
        let heat = look(settings, now)
        let neighbours = host.elementsDownstream()
        findEncoder(settings, neighbours, now)
        let capsStay =
            settings.mayChangeSize == .no
            || (settings.mayChangeSize == .auto && neighbours.contains { $0.refusesNewCaps })
        decide(heat, settings, capsStay: capsStay, now)
        checkBitrate(now)
    }

    /// Gives everything back.
    mutating func finish() {
        rest()
        let now = ThermalControl.now
        control.report.facts.withLock { $0.durations.pause(at: now) }
    }

    /// Does nothing, and has done nothing.
    private mutating func rest() {
        sensors?.endUse(interval: interval)
        sensors = nil
        encoder?.move(to: 1, now: ThermalControl.now)
        encoder = nil
        decided = nil
        posted = nil
        judge = ThermalJudge()
        control.withClimb { $0 = LadderClimb() }
        if control.plan.withLock({ $0.take(QualityLimits(), capsStay: false) }) { renegotiate() }
        control.report.facts.withLock { facts in
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
            heat = judge.judge(reading.chosen(by: GlobPatterns(settings.zones)), at: now)
            tellAbout(reading, heat, settings)
        }
        if let level = settings.forced.level { heat.level = level }
        return heat
    }

    private mutating func tellAbout(_ reading: ThermalReading, _ heat: HeatReport, _ settings: ThermalCapsSettings) {
        told.blindReadings = heat.level == .unknown ? told.blindReadings + 1 : 0
        // A sensor may be late, or slip once.
        if told.blindReadings >= 3, settings.forced == .none, !told.noSensor {
            told.noSensor = true
            let where_ = (settings.systemRoot ?? "/sys") + "/class/thermal"
            let found = reading.zones.map(\.name).joined(separator: ", ")
            host.post(
                info: .resource(
                    .notFound, "No sensor says how hot the machine is; quality stays as it is.",
                    debug: found.isEmpty
                        ? "There is no temperature to be read in \(where_) or beside it."
                        : "The sensors \(found) do not say at which temperature the machine slows down, or are not chosen."
                ))
        }
        if reading.throttle?.isUnderVoltage == true, !told.underVoltage {
            told.underVoltage = true
            host.post(
                info: .resource(
                    .failed, "The machine gets too little voltage, and slows down for that.",
                    debug: "A better power supply helps; less quality does not."))
        }
    }

    // MARK: Decisions

    private mutating func decide(
        _ heat: HeatReport, _ settings: ThermalCapsSettings, capsStay: Bool, _ now: Duration
    ) {
        let (reference, isFields) = control.plan.withLock { ($0.reference, $0.isFields) }
        var rules = settings.rules
        rules.tier = settings.tier.value(machine: tier)
        rules.mayChangeSize = !capsStay && !isFields
        rules.mayDrop = !isFields
        rules.hasEncoder = encoder != nil
        let ladder = reference.map { QualityLadder(for: $0, rules) }
        let (index, reasons) = control.withClimb { climb in
            climb.times = settings.times
            climb.survivesShutdown = settings.neverStops
            let index = ladder.map { climb.update(heat.level, entries: $0.rungs.map(\.entry), now: now) }
            return (index ?? climb.index, climb.reasons)
        }
        var action = "none"
        if let ladder, let reference, ladder.rungs.indices.contains(index) {
            let limits = limits(ladder.rungs[index].limits, index, heat.level, reference)
            action = QualityLadder.action(limits, for: reference, hasEncoder: encoder != nil)
            apply(limits, capsStay: capsStay, now)
        }
        note(heat, action, reasons, now)
        if heat.level == .shutdown, !settings.neverStops { end(heat) }
    }

    /// What the ladder says, unless the application says otherwise.
    private mutating func limits(
        _ limits: QualityLimits, _ index: Int, _ level: ThermalLevel, _ reference: Picture
    ) -> QualityLimits {
        if let decided, decided.index == index, decided.level == level { return decided.byApplication ?? limits }
        if decided == nil, index == 0, level <= .nominal {
            decided = (index, level, nil)
            return limits
        }
        let caps = Self.caps(limits.fit(reference))
        let answer = ThermalCaps.configureCaps.ask(host, level.name, caps: caps)
        var chosen: QualityLimits?
        if let answer, let first = try? CapsLimits.parse(answer).first {
            chosen = QualityLimits(first)
            if first.bitrateShare == nil { chosen?.bitrateShare = limits.bitrateShare }
        }
        decided = (index, level, chosen)
        return chosen ?? limits
    }

    private mutating func apply(_ limits: QualityLimits, capsStay: Bool, _ now: Duration) {
        let isNew = control.plan.withLock { $0.take(limits, capsStay: capsStay) }
        if isNew { renegotiate() }
        if let encoder, encoder.share != limits.bitrateShare { self.encoder?.move(to: limits.bitrateShare, now: now) }
    }

    private func renegotiate() {
        control.stream.requestReshape()
        control.stream.requestUpstreamChange()
    }

    // MARK: Telling

    private mutating func note(_ heat: HeatReport, _ action: String, _ reasons: [String], _ now: Duration) {
        let isChange = posted.map { $0.action != action } ?? (action != "none")
        control.report.facts.withLock { facts in
            facts.heat = heat
            facts.action = action
            facts.reasons = reasons
            facts.durations.note(heat.level, at: now)
            if isChange { facts.changes += 1 }
        }
        let isFirst = posted == nil && heat.level <= .nominal && action == "none"
        let isNews = isChange || posted?.level != heat.level
        posted = (heat.level, action)
        guard isNews, !isFirst else { return }
        ThermalControl.log.info(host, "\(heat.level.name): \(action)")
        host.post(message(heat, action))
    }

    private func message(_ heat: HeatReport, _ action: String) -> Structure {
        let (reference, limits) = control.plan.withLock { ($0.reference, $0.limits) }
        var message = Structure("thermal-level-changed")
        message["zone"] = heat.zone.map { .string($0) }
        message["temperature"] = heat.celsius.map { .double($0) }
        message["headroom"] = heat.headroom.map { .double($0) }
        message["forecast"] = heat.forecast.map { .double($0) }
        message["level"] = .string(heat.level.name)
        message["action"] = .string(action)
        message["caps"] = reference.map { .string(Self.caps(limits.fit($0))) }
        return message
    }

    private static func caps(_ picture: Picture) -> String {
        let size = "video/x-raw, width=(int)\(picture.width), height=(int)\(picture.height)"
        guard let rate = picture.rate else { return size }
        return size + ", framerate=(fraction)\(rate.numerator)/\(rate.denominator)"
    }

    private mutating func end(_ heat: HeatReport) {
        guard !told.shutdown else { return }
        told.shutdown = true
        control.stream.setRefusing(true)
        let degrees = heat.celsius.map { " at \(Int($0.rounded())) degrees" } ?? ""
        host.post(
            error: .resource(
                .failed, "The machine is about to switch itself off: \(heat.zone ?? "a sensor") is\(degrees).",
                debug: "Let it cool down, or set never-stop=true to go on with the least quality."))
    }

    // MARK: The encoder

    private mutating func findEncoder(
        _ settings: ThermalCapsSettings, _ neighbours: [ElementReference], _ now: Duration
    ) {
        let wanted: ElementReference? =
            if let name = settings.encoder { host.neighbour(named: name) } else {
                neighbours.first { EncoderBitrate.of(factory: $0.factory) != nil }
            }
        guard wanted?.identity != encoder?.encoder.identity else { return }
        // One that is no longer there gets back what it had.
        encoder?.move(to: 1, now: now)
        encoder = wanted.flatMap { EncoderControl($0, now: now) }
    }

    private mutating func checkBitrate(_ now: Duration) {
        guard let found = encoder?.look(now: now), let encoder else { return }
        control.report.facts.withLock { $0.bitrate = found.bitsPerSecond }
        guard case .ignored(let before, let after, let asked) = found.verdict,
            told.ignored.insert(encoder.encoder.identity).inserted
        else { return }
        func kilobits(_ rate: Double) -> Int { Int((min(rate, 1e15) / 1000).rounded()) }
        host.post(
            warning: .library(
                .settings, "The encoder \(encoder.encoder.name) does not keep to its bitrate.",
                debug: "It was asked for \(kilobits(asked)) kbit/s; \(kilobits(before)) came out before, "
                    + "and \(kilobits(after)) after."))
    }
}

extension ElementReference {
    /// Muxers that take new caps in the middle of a stream; files and Flash do not.
    private static let lenientMuxers: Set<String> = ["mpegtsmux", "mpegpsmux", "multipartmux", "hlssink", "hlssink2"]

    var refusesNewCaps: Bool { classes.contains("Muxer") && !Self.lenientMuxers.contains(factory) }
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
