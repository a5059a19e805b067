import GStreamer
import MachineState
import ThermalPolicy
import Threads

/// Posts messages on the bus, each only once while nothing changes; used by the deciding thread.
struct ThermalMessages {
    private let element: ThermalCaps
    private let host: ElementHost
    private var last: (level: ThermalLevel, action: String)?
    private var hasPosted = false
    /// Number of consecutive readings without a level.
    private var readingsWithoutLevel = 0
    private var lastWithoutLevel: Duration?
    /// Number of consecutive readings without a sensor for a name in `zones`.
    private var readingsWithUnknownZone = 0
    private var lastWithUnknownZone: Duration?
    /// Value of `zones` at the last warning about names without a sensor.
    private var unknownZones: String?
    private var obstacle: (encoder: UInt, what: EncoderPort.Obstacle)?
    private var missingEncoder: String?
    /// Names of the messages that have been posted.
    private var posted: Set<String> = []
    /// Levels whose caps were below the minimum, by the origin of the caps.
    private var raised: [String: [ThermalLevel]] = [:]

    /// Number of readings after which a missing sensor is reported.
    private static let patience = 3

    init(_ element: ThermalCaps) {
        self.element = element
        host = element.host
    }

    /// Discards the last level, so that the next level counts as the first.
    mutating func forget() { (last, hasPosted) = (nil, false) }

    /// Whether the message of this name is posted for the first time; the call counts as a post.
    private mutating func isNew(_ name: String) -> Bool { posted.insert(name).inserted }

    /// Posts messages about sensors that are missing or have no level, and about under-voltage.
    mutating func post(_ reading: ThermalReading, _ heat: HeatReport, _ settings: ThermalCapsSettings) {
        if heat.level != .unknown {
            readingsWithoutLevel = 0
        } else if reading.takenAt != lastWithoutLevel {
            readingsWithoutLevel += 1
            lastWithoutLevel = reading.takenAt
        }
        let isNoneSelected = postUnknownZones(reading, settings)
        if readingsWithoutLevel >= Self.patience, settings.forced == .none, !isNoneSelected, isNew("sensor") {
            let folder = settings.machineRoot.system + "/class/thermal"
            let found = reading.zones.map(\.name).joined(separator: ", ")
            host.post(
                info: .resource(
                    .notFound, "No sensor reports how hot the machine is; quality is not reduced.",
                    debug: found.isEmpty
                        ? "There is no temperature sensor in \(folder) or beside it."
                        : "The sensors \(found) do not report the temperature at which the machine slows down."
                ))
        }
        if reading.throttle?.isUnderVoltage == true, isNew("voltage") {
            host.post(
                info: .resource(
                    .failed, "The supply voltage of the machine is too low, which slows it down.",
                    debug: "Use a better power supply; lower quality does not help."))
        }
    }

    /// Posts a warning about names in `zones` without a sensor; returns whether no name has a sensor.
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
                        ? "No sensor is used: the level is unknown, and quality is not reduced."
                        : "Only the other names are used.")))
        return isNoneSelected
    }

    /// Stores level and action in the report, and posts both if at least one of them is new.
    mutating func post(_ heat: HeatReport, _ action: String, _ reasons: [String], _ now: Duration) {
        let isChange = last.map { $0.action != action } ?? (action != "none")
        element.report.facts.withLock { facts in
            facts.heat = heat
            facts.action = action
            facts.reasons = reasons
            facts.durations.note(heat.level, at: now)
            if isChange { facts.changes += 1 }
        }
        // The first level of a cool machine is not posted.
        let isFirst = !hasPosted && last?.level ?? .unknown == .unknown && heat.level <= .nominal && action == "none"
        let mustPost = isChange || last?.level != heat.level
        last = (heat.level, action)
        guard mustPost, !isFirst else { return }
        hasPosted = true
        let cause = heat.cause.map { " (\($0.name))" } ?? ""
        ThermalCaps.log.info(host, "\(heat.level.name)\(cause): \(action)")
        host.post(message(heat, action))
    }

    private func message(_ heat: HeatReport, _ action: String) -> Structure {
        let now = MonotonicClock.now
        let made = element.stream.made(at: now)
        var message = Structure("thermal-level-changed")
        // A level from `forced-level` has no sensor.
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
        guard isNew("end") else { return }
        element.stream.refuseFrames()
        guard heat.cause != .forced else {
            return host.post(
                error: .settings(
                    "forced-level=shutdown ends the stream.",
                    debug: "Set forced-level=none to use the sensors, or never-stop=true to continue with minimum "
                        + "quality."))
        }
        let degrees = heat.celsius.map { " at \(Int($0.rounded())) degrees" } ?? ""
        host.post(
            error: .resource(
                .failed, "The machine is about to switch itself off: \(heat.zone ?? "a sensor") is\(degrees).",
                debug: "Let it cool down, or set never-stop=true to continue with minimum quality."))
    }

    /// Posts a warning about levels whose caps are below the minimum.
    mutating func post(raised levels: [ThermalLevel], _ origin: String, _ settings: ThermalCapsSettings) {
        guard raised[origin, default: []] != levels else { return }
        raised[origin] = levels
        guard !levels.isEmpty else { return }
        host.post(
            warning: .settings(
                "\(origin) is below min-height=\(settings.policy.rules.minimumHeight) or "
                    + "min-framerate=\(settings.minimumRate) at \(levels.map(\.name).joined(separator: ", ")); "
                    + "the minimum is used.",
                debug: "Lower min-height or min-framerate to allow less."))
    }

    /// Posts a warning about an invalid answer of the application.
    mutating func post(invalidAnswer error: ElementError) {
        guard isNew("answer") else { return }
        host.post(
            warning: .settings(
                error.text, debug: "The caps of the ladder are used, as for NULL. This is posted once."))
    }

    /// Posts a warning about an encoder that ignores its bitrate.
    mutating func post(_ verdict: BitrateCheck.Verdict, of encoder: ElementReference) {
        guard case .ignored(let before, let after, let asked) = verdict, isNew("ignored by \(encoder.identity)")
        else { return }
        func kilobits(_ rate: Double) -> Int { Int((min(rate, 1e15) / 1000).rounded()) }
        host.post(
            warning: .library(
                .settings, "The encoder \(encoder.name) does not follow its bitrate property.",
                debug: "\(kilobits(asked)) kbit/s were set; its output had \(kilobits(before)) kbit/s before and "
                    + "\(kilobits(after)) kbit/s after."))
    }

    /// Posts the reason why the bitrate of an encoder is not lowered.
    mutating func post(_ obstacle: EncoderPort.Obstacle, of encoder: ElementReference) {
        if let posted = self.obstacle, posted == (encoder.identity, obstacle) { return }
        self.obstacle = (encoder.identity, obstacle)
        let (reason, remedy) = obstacle.text(for: encoder)
        // gst-launch-1.0 shows only the second text, so that text contains the first one.
        host.post(
            info: .library(
                .settings, "The bitrate of \(encoder.name) is not lowered: \(reason).",
                debug: "The bitrate of \(encoder.name) is not lowered: \(reason). \(remedy)"))
    }

    /// Posts a warning that the bitrate of the named encoder cannot be lowered.
    mutating func post(noEncoder name: String, isThere: Bool) {
        guard missingEncoder != name else { return }
        missingEncoder = name
        host.post(
            warning: .settings(
                isThere
                    ? "\"\(name)\" is not a known encoder; its bitrate is not lowered."
                    : "There is no element \"\(name)\" in the pipeline whose bitrate could be lowered.",
                debug: "Set the property \"encoder\" to the name of an encoder, or to NULL for the first downstream."))
    }
}

extension EncoderPort.Obstacle {
    fileprivate func text(for encoder: ElementReference) -> (reason: String, remedy: String) {
        let remedy = "Set a bitrate that the machine can encode when it is hot."
        switch self {
        case .isNotSet(let example):
            return (
                "its value is unknown",
                "Set \(example) with your own bits per second; then it can be lowered and restored."
            )
        case .setting(let settings):
            let list = settings.map { "\($0.property)=\(encoder.text($0.property) ?? $0.value)" }
            return (
                "the encoder ignores it with \(list.joined(separator: " "))", "With other settings it can be lowered."
            )
        case .isFixed: return ("\(encoder.factory) reads it only at the start", remedy)
        case .isRefused: return ("the encoder accepts no other value", remedy)
        case .isMissing: return ("the encoder has no property for it", remedy)
        case .muxer(let name):
            return ("\(name) would refuse the new codec data of \(encoder.factory)", remedy)
        }
    }
}
