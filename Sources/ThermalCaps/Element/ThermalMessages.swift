import GStreamer
import MachineState
import ThermalPolicy
import Threads

/// Messages on the bus, each posted once; belongs to the deciding thread.
struct ThermalMessages {
    private let engine: ThermalEngine
    private let host: ElementHost
    private var posted: (level: ThermalLevel, action: String)?
    private var hasPosted = false
    /// Consecutive readings without a level.
    private var readingsWithoutLevel = 0
    private var lastWithoutLevel: Duration?
    private var hasPostedNoSensor = false
    /// Consecutive readings without a sensor for a name in `zones`.
    private var readingsWithUnknownZone = 0
    private var lastWithUnknownZone: Duration?
    /// The `zones` of the last warning about names without a sensor.
    private var unknownZones: String?
    private var hasPostedVoltage = false
    private var hasEnded = false
    private var ignoring: Set<UInt> = []
    private var obstacle: (encoder: UInt, what: EncoderPort.Obstacle)?
    private var missingEncoder: String?
    private var hasPostedUselessAnswer = false
    /// The levels below the minimum, by the origin of their caps.
    private var raised: [String: [ThermalLevel]] = [:]

    /// The number of readings after which a missing sensor is reported.
    private static let patience = 3

    init(_ engine: ThermalEngine) {
        self.engine = engine
        host = engine.host
    }

    /// Starts again: the next level is the first.
    mutating func forget() { (posted, hasPosted) = (nil, false) }

    /// Reports sensors that are missing or have no level, and under-voltage.
    mutating func post(_ reading: ThermalReading, _ heat: HeatReport, _ settings: ThermalCapsSettings) {
        if heat.level != .unknown {
            readingsWithoutLevel = 0
        } else if reading.takenAt != lastWithoutLevel {
            readingsWithoutLevel += 1
            lastWithoutLevel = reading.takenAt
        }
        let isNoneSelected = postUnknownZones(reading, settings)
        if readingsWithoutLevel >= Self.patience, settings.forced == .none, !isNoneSelected, !hasPostedNoSensor {
            hasPostedNoSensor = true
            let where_ = settings.machineRoot.system + "/class/thermal"
            let found = reading.zones.map(\.name).joined(separator: ", ")
            host.post(
                info: .resource(
                    .notFound, "No sensor says how hot the machine is; quality stays as it is.",
                    debug: found.isEmpty
                        ? "There is no temperature to be read in \(where_) or beside it."
                        : "The sensors \(found) do not say at which temperature the machine slows down."
                ))
        }
        if reading.throttle?.isUnderVoltage == true, !hasPostedVoltage {
            hasPostedVoltage = true
            host.post(
                info: .resource(
                    .failed, "The machine gets too little voltage, and slows down for that.",
                    debug: "A better power supply helps; less quality does not."))
        }
    }

    /// Warns of names in `zones` without a sensor; returns whether no name has one.
    private mutating func postUnknownZones(_ reading: ThermalReading, _ settings: ThermalCapsSettings) -> Bool {
        let (names, patterns) = (reading.names, GlobPatterns(settings.policy.zones))
        let stray = patterns.unmatched(by: names)
        guard let zones = settings.policy.zones, !stray.isEmpty else {
            (readingsWithUnknownZone, unknownZones) = (0, nil)
            return false
        }
        if reading.takenAt != lastWithUnknownZone {
            readingsWithUnknownZone += 1
            lastWithUnknownZone = reading.takenAt
        }
        let isNoneSelected = !names.contains(where: patterns.choose)
        guard readingsWithUnknownZone >= Self.patience, unknownZones != zones else { return isNoneSelected }
        unknownZones = zones
        let most = 20
        let list = names.prefix(most).joined(separator: ", ") + (names.count > most ? " and others" : "")
        host.post(
            warning: .settings(
                "zones=\"\(zones)\": no sensor has the name \(stray.joined(separator: ", ")).",
                debug: (names.isEmpty ? "There are no sensors" : "The sensors are \(list)") + ". "
                    + (isNoneSelected
                        ? "No sensor counts: the level is unknown, and quality stays as it is."
                        : "Only the other names count.")))
        return isNoneSelected
    }

    /// Posts a new level, or a new action.
    mutating func post(_ heat: HeatReport, _ action: String, _ reasons: [String], _ now: Duration) {
        let isChange = posted.map { $0.action != action } ?? (action != "none")
        engine.report.facts.withLock { facts in
            facts.heat = heat
            facts.action = action
            facts.reasons = reasons
            facts.durations.note(heat.level, at: now)
            if isChange { facts.changes += 1 }
        }
        // The first level of a cool machine is not posted.
        let isFirst = !hasPosted && posted?.level ?? .unknown == .unknown && heat.level <= .nominal && action == "none"
        let isNews = isChange || posted?.level != heat.level
        posted = (heat.level, action)
        guard isNews, !isFirst else { return }
        hasPosted = true
        let cause = heat.cause.map { " (\($0.name))" } ?? ""
        ThermalEngine.log.info(host, "\(heat.level.name)\(cause): \(action)")
        host.post(message(heat, action))
    }

    private func message(_ heat: HeatReport, _ action: String) -> Structure {
        let now = MonotonicClock.now
        let made = engine.stream.made(at: now)
        var message = Structure("thermal-level-changed")
        // The level of `forced-level` has no sensor.
        if heat.cause != .forced {
            message["zone"] = heat.zone.map { .string($0) }
            message["temperature"] = heat.celsius.map { .double($0) }
            message["headroom"] = heat.headroom.map { .double($0) }
            message["forecast"] = heat.forecast.map { .double($0) }
        }
        message["level"] = .string(heat.level.name)
        message["cause"] = heat.cause.map { .string($0.name) }
        message["action"] = .string(action)
        message["caps"] = made.flatMap { Caps($0.text) }.map { .caps($0) }
        return message
    }

    /// Ends the stream with an error.
    mutating func end(_ heat: HeatReport) {
        guard !hasEnded else { return }
        hasEnded = true
        engine.stream.refuseFrames()
        guard heat.cause != .forced else {
            return host.post(
                error: .settings(
                    "forced-level=shutdown ends the stream.",
                    debug: "Set forced-level=none to go by the sensors, or never-stop=true to go on with the least "
                        + "quality."))
        }
        let degrees = heat.celsius.map { " at \(Int($0.rounded())) degrees" } ?? ""
        host.post(
            error: .resource(
                .failed, "The machine is about to switch itself off: \(heat.zone ?? "a sensor") is\(degrees).",
                debug: "Let it cool down, or set never-stop=true to go on with the least quality."))
    }

    /// Warns of levels whose caps are below the minimum.
    mutating func post(raised levels: [ThermalLevel], _ origin: String, _ settings: ThermalCapsSettings) {
        guard raised[origin, default: []] != levels else { return }
        raised[origin] = levels
        guard !levels.isEmpty else { return }
        host.post(
            warning: .settings(
                "\(origin) asks for less than min-height=\(settings.policy.rules.minimumHeight) or "
                    + "min-framerate=\(settings.minimumRate) at \(levels.map(\.name).joined(separator: ", ")), "
                    + "and gets that.",
                debug: "Lower these two where so little is meant."))
    }

    /// Warns of an answer of the application that cannot be used.
    mutating func post(uselessAnswer error: ElementError) {
        guard !hasPostedUselessAnswer else { return }
        hasPostedUselessAnswer = true
        host.post(
            warning: .settings(
                error.text, debug: "The ladder's own caps were taken, as they are for NULL; this is said once."))
    }

    /// Warns of an encoder that ignores its bitrate.
    mutating func post(_ verdict: BitrateCheck.Verdict, of encoder: ElementReference) {
        guard case .ignored(let before, let after, let asked) = verdict, ignoring.insert(encoder.identity).inserted
        else { return }
        func kilobits(_ rate: Double) -> Int { Int((min(rate, 1e15) / 1000).rounded()) }
        host.post(
            warning: .library(
                .settings, "The encoder \(encoder.name) does not keep to its bitrate.",
                debug: "It was asked for \(kilobits(asked)) kbit/s; \(kilobits(before)) came out before, "
                    + "and \(kilobits(after)) after."))
    }

    /// Reports why the bitrate of an encoder is not lowered.
    mutating func post(_ obstacle: EncoderPort.Obstacle, of encoder: ElementReference) {
        if let posted = self.obstacle, posted == (encoder.identity, obstacle) { return }
        self.obstacle = (encoder.identity, obstacle)
        let (why, what) = obstacle.words(of: encoder)
        // gst-launch-1.0 shows only the second text.
        host.post(
            info: .library(
                .settings, "The bitrate of \(encoder.name) stays as it is: \(why).",
                debug: "The bitrate of \(encoder.name) is not lowered, for \(why). \(what)"))
    }

    /// Warns that the bitrate of the named encoder cannot be lowered.
    mutating func post(noEncoder name: String, isThere: Bool) {
        guard missingEncoder != name else { return }
        missingEncoder = name
        host.post(
            warning: .settings(
                isThere
                    ? "Where \"\(name)\" keeps its bitrate is not known; it stays as it is."
                    : "There is no element \"\(name)\" in the pipeline whose bitrate could be lowered.",
                debug: "The property \"encoder\" names an encoder, or nothing for the first downstream."))
    }
}

extension EncoderPort.Obstacle {
    /// The reason, and the remedy.
    fileprivate func words(of encoder: ElementReference) -> (why: String, what: String) {
        let before = "Set it for what the machine can bear."
        switch self {
        case .isNotSet(let example):
            return (
                "nobody knows what it is",
                "\(example), with your own bits per second, says so; then it can be lowered, and given back."
            )
        case .setting(let settings):
            let list = settings.map { "\($0.property)=\(encoder.text($0.property) ?? $0.value)" }
            return ("with \(list.joined(separator: " ")) it is not followed", "With other settings it can be lowered.")
        case .isFixed: return ("\(encoder.factory) takes one only before it starts", before)
        case .isRefused: return ("it takes no other", before)
        case .isMissing: return ("it has no property for one", before)
        case .muxer(let name):
            return ("\(name) would refuse the codec data that \(encoder.factory) makes with it", before)
        }
    }
}
