import GStreamer
import MachineState
import ThermalPolicy

/// What is told on the bus, each thing once; belongs to the deciding thread.
struct ThermalNews {
    private let control: ThermalControl
    private let host: ElementHost
    private var posted: (level: ThermalLevel, action: String)?
    private var hasPosted = false
    /// Readings in a row without a level.
    private var blindReadings = 0
    private var blindAt: Duration?
    private var hasToldNoSensor = false
    /// Readings in a row with a name in `zones` that none of them has.
    private var strayReadings = 0
    private var strayAt: Duration?
    /// The `zones` of the last warning about such names.
    private var strayZones: String?
    private var hasToldVoltage = false
    private var hasEnded = false
    private var ignoring: Set<UInt> = []
    private var obstacle: (encoder: UInt, what: EncoderControl.Obstacle)?
    private var missingEncoder: String?
    private var hasToldUselessAnswer = false
    /// By who asked for too little, where.
    private var raised: [String: [ThermalLevel]] = [:]

    /// Readings to wait for a sensor that is late, or slips once.
    private static let patience = 3

    init(_ control: ThermalControl) {
        self.control = control
        host = control.host
    }

    /// What comes next is the first again.
    mutating func forget() { (posted, hasPosted) = (nil, false) }

    /// Says once what is wrong with the sensors.
    mutating func tell(_ reading: ThermalReading, _ heat: HeatReport, _ settings: ThermalCapsSettings) {
        if heat.level != .unknown {
            blindReadings = 0
        } else if reading.takenAt != blindAt {
            blindReadings += 1
            blindAt = reading.takenAt
        }
        let isNoneChosen = tellStrayZones(reading, settings)
        if blindReadings >= Self.patience, settings.forced == .none, !isNoneChosen, !hasToldNoSensor {
            hasToldNoSensor = true
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
        if reading.throttle?.isUnderVoltage == true, !hasToldVoltage {
            hasToldVoltage = true
            host.post(
                info: .resource(
                    .failed, "The machine gets too little voltage, and slows down for that.",
                    debug: "A better power supply helps; less quality does not."))
        }
    }

    /// Warns once of names in `zones` that no sensor has; returns whether none of the names is one.
    private mutating func tellStrayZones(_ reading: ThermalReading, _ settings: ThermalCapsSettings) -> Bool {
        let (names, patterns) = (reading.names, GlobPatterns(settings.zones))
        let stray = patterns.unmatched(by: names)
        guard let zones = settings.zones, !stray.isEmpty else {
            (strayReadings, strayZones) = (0, nil)
            return false
        }
        if reading.takenAt != strayAt {
            strayReadings += 1
            strayAt = reading.takenAt
        }
        let isNoneChosen = !names.contains(where: patterns.choose)
        guard strayReadings >= Self.patience, strayZones != zones else { return isNoneChosen }
        strayZones = zones
        let most = 20
        let list = names.prefix(most).joined(separator: ", ") + (names.count > most ? " and others" : "")
        host.post(
            warning: .settings(
                "zones=\"\(zones)\": no sensor has the name \(stray.joined(separator: ", ")).",
                debug: (names.isEmpty ? "There are no sensors" : "The sensors are \(list)") + ". "
                    + (isNoneChosen
                        ? "No sensor counts: the level is unknown, and quality stays as it is."
                        : "Only the other names count.")))
        return isNoneChosen
    }

    /// Tells of a new level, or of something new that is done about it.
    mutating func note(_ heat: HeatReport, _ action: String, _ reasons: [String], _ now: Duration) {
        let isChange = posted.map { $0.action != action } ?? (action != "none")
        control.report.facts.withLock { facts in
            facts.heat = heat
            facts.action = action
            facts.reasons = reasons
            facts.durations.note(heat.level, at: now)
            if isChange { facts.changes += 1 }
        }
        // A machine that is cool from the start, as soon as it is known, is no news.
        let isFirst = !hasPosted && posted?.level ?? .unknown == .unknown && heat.level <= .nominal && action == "none"
        let isNews = isChange || posted?.level != heat.level
        posted = (heat.level, action)
        guard isNews, !isFirst else { return }
        hasPosted = true
        let cause = heat.cause.map { " (\($0.name))" } ?? ""
        ThermalControl.log.info(host, "\(heat.level.name)\(cause): \(action)")
        host.post(message(heat, action))
    }

    private func message(_ heat: HeatReport, _ action: String) -> Structure {
        let now = ThermalControl.now
        let made = control.plan.withLock { $0.made(at: now) }
        var message = Structure("thermal-level-changed")
        // No sensor is the reason for a level that the user has set.
        if heat.cause != .forced {
            message["zone"] = heat.zone.map { .string($0) }
            message["temperature"] = heat.celsius.map { .double($0) }
            message["headroom"] = heat.headroom.map { .double($0) }
            message["forecast"] = heat.forecast.map { .double($0) }
        }
        message["level"] = .string(heat.level.name)
        message["cause"] = heat.cause.map { .string($0.name) }
        message["action"] = .string(action)
        message["caps"] = made.map { .caps($0.caps) }
        return message
    }

    /// Ends the stream with an error.
    mutating func end(_ heat: HeatReport) {
        guard !hasEnded else { return }
        hasEnded = true
        control.stream.setRefusing(true)
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

    /// Says where caps ask for less than the settings allow.
    mutating func tell(raised levels: [ThermalLevel], _ who: String, _ settings: ThermalCapsSettings) {
        guard raised[who, default: []] != levels else { return }
        raised[who] = levels
        guard !levels.isEmpty else { return }
        host.post(
            warning: .settings(
                "\(who) asks for less than min-height=\(settings.minimumHeight) or "
                    + "min-framerate=\(settings.minimumRate) at \(levels.map(\.name).joined(separator: ", ")), "
                    + "and gets that.",
                debug: "Lower these two where so little is meant."))
    }

    /// Says that the application answered what cannot be done.
    mutating func tell(uselessAnswer error: ElementError) {
        guard !hasToldUselessAnswer else { return }
        hasToldUselessAnswer = true
        host.post(
            warning: .settings(
                error.text, debug: "The ladder's own caps were taken, as they are for NULL; this is said once."))
    }

    /// Says of an encoder that does not obey.
    mutating func tell(_ verdict: BitrateCheck.Verdict, of encoder: ElementReference) {
        guard case .ignored(let before, let after, let asked) = verdict, ignoring.insert(encoder.identity).inserted
        else { return }
        func kilobits(_ rate: Double) -> Int { Int((min(rate, 1e15) / 1000).rounded()) }
        host.post(
            warning: .library(
                .settings, "The encoder \(encoder.name) does not keep to its bitrate.",
                debug: "It was asked for \(kilobits(asked)) kbit/s; \(kilobits(before)) came out before, "
                    + "and \(kilobits(after)) after."))
    }

    /// Says of an encoder why its bitrate is not lowered.
    mutating func tell(_ obstacle: EncoderControl.Obstacle, of encoder: ElementReference) {
        if let told = self.obstacle, told == (encoder.identity, obstacle) { return }
        self.obstacle = (encoder.identity, obstacle)
        let (why, what) = obstacle.words(of: encoder)
        // gst-launch-1.0 shows the second text alone.
        host.post(
            info: .library(
                .settings, "The bitrate of \(encoder.name) stays as it is: \(why).",
                debug: "The bitrate of \(encoder.name) is not lowered, for \(why). \(what)"))
    }

    /// Says that the encoder which was named cannot be turned down.
    mutating func tell(noEncoder name: String, isThere: Bool) {
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

extension EncoderControl.Obstacle {
    /// Why, and what helps.
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

extension Picture {
    /// As `gst-launch-1.0` writes it.
    var caps: String {
        let size = "video/x-raw, width=(int)\(width), height=(int)\(height)"
        guard let rate else { return size }
        return size + ", framerate=(fraction)\(rate.numerator)/\(rate.denominator)"
    }
}
