import GStreamer
import MachineSensors
import MachineState
import ThermalPolicy

/// The writable properties of `thermalcaps`.
struct ThermalCapsSettings: ElementSettings {
    typealias Report = ThermalCapsReport
    static let defaultFlags = PropertyFlags.anyTime

    var isEnabled = true
    var policy = ThermalPolicy.Settings()
    var tier = TierChoice.high
    var sensorRoot: String?
    var systemRoot: String?
    var pollInterval = Duration.seconds(2)
    var forced = ForcedLevel.none
    var minimumRate: UInt32 = 10
    var mayChangeSize = SizeChoice.auto
    var customLadder: String?
    var encoder: String?

    static let properties: [Property<Self>] =
        [
            .bool("enabled", \.isEnabled, "Whether to reduce quality; if false, frames pass unchanged"),
            .choice("policy", \.policy.rules.policy, "Order in which bitrate, frame rate and size are reduced"),
            .choice("device-tier", \.tier, "Share of the frame rate on a cool machine: all, three quarters, or half"),
            .string(
                "zones", \.policy.zones,
                "Names of the sensors to use, with * and ?, separated by commas (NULL = default selection)"),
            .string(
                "sensor-root", \.sensorRoot,
                "Folder that contains proc and sys, for tests (NULL = the root of the file system)", flags: .beforeStart
            ),
            .string(
                "sysfs-root", \.systemRoot,
                "Folder that replaces /sys, for tests; has no effect when sensor-root is set (deprecated: use sensor-root)",
                flags: [.beforeStart, .deprecated]
            ).storedInPresets(false),
            .duration(
                "poll-interval", \.pollInterval, in: .milliseconds(10) ... .seconds(3600),
                "Interval between two readings of the sensors, in nanoseconds", flags: .beforeStart),
            .choice("forced-level", \.forced, "Level that replaces the level of the sensors"),
        ] + rulesOfPolicy + [
            .choice("allow-resolution-change", \.mayChangeSize, "Whether the caps may change while the stream runs"),
            .string(
                "custom-ladder",
                "Limits for the levels fair, serious, critical and shutdown, which replace the policy: caps with width, height, framerate and bitrate-share, separated by semicolons",
                get: { $0.customLadder }, parse: parseLadder),
            .string(
                "encoder", \.encoder, "Name of the encoder whose bitrate is lowered (NULL = the first downstream)"),
            .bool(
                "never-stop", \.policy.neverStops,
                "When the machine is about to switch off, reduce quality to the minimum instead of ending with an error"
            ),
        ] + ThermalCapsReport.properties

    /// Properties with times and limits of `ThermalPolicy`.
    private static let rulesOfPolicy: [Property<Self>] = [
        .duration(
            "down-dwell", \.policy.times.downDwell, in: .zero ... .seconds(3600),
            "Minimum time between a step and the next step down, in nanoseconds"),
        .duration(
            "up-dwell", \.policy.times.upDwell, in: .zero ... .seconds(3600),
            "Time for which the machine must be cooler before a step up, in nanoseconds"),
        .duration(
            "max-up-dwell", \.policy.times.longestUpDwell, in: .zero ... .seconds(3600),
            "Maximum of up-dwell, which doubles after a step up that does not last, in nanoseconds"),
        .double(
            "hysteresis", \.policy.hysteresis, in: 0...50,
            "Degrees by which a temperature must fall to leave a level, for sensors without a hysteresis of their own"),
        .duration(
            "forecast", \.policy.forecast, in: .zero ... .seconds(600),
            "Time for which the trend of the temperature is extrapolated, in nanoseconds (0 = no forecast)"),
        .uint32("min-framerate", \.minimumRate, in: 1...1000, "Minimum frames per second that a step leaves"),
        .uint32(
            "min-height", \.policy.rules.minimumHeight, in: 16...16_384,
            "Minimum rows that a step leaves (columns for portrait video)"),
    ]

    @Sendable private static func parseLadder(_ text: String?) throws(ElementError) -> Property<Self>.Update {
        let limits = try QualityLimits.ladder(text)
        return {
            $0.customLadder = limits.isEmpty ? nil : text
            $0.policy.rules.custom = limits
        }
    }

    /// Folder that contains `sys` and `proc`, or that replaces `/sys`.
    var machineRoot: MachineRoot {
        sensorRoot.map(MachineRoot.init(folder:)) ?? systemRoot.map(MachineRoot.init(system:)) ?? .machine
    }

    /// `policy` with the values of the properties that have other types.
    var policySettings: ThermalPolicy.Settings {
        var settings = policy
        settings.rules.minimumRate = FrameRate(Int(minimumRate), 1)
        settings.forcedLevel = forced.level
        return settings
    }
}

enum TierChoice: Int32, PropertyChoice {
    case auto, low, medium, high
    static let typeName = "GstThermalCapsTier"
    var nick: String { ["auto", "low", "medium", "high"][Int(rawValue)] }
    var summary: String {
        switch self {
        case .auto: "Determined by processors, memory and frequency"
        case .low: "Half of the frame rate"
        case .medium: "Three quarters of the frame rate"
        case .high: "The full frame rate"
        }
    }

    func value(machine: DeviceTier) -> DeviceTier { [machine, .low, .medium, .high][Int(rawValue)] }
}

enum ForcedLevel: Int32, PropertyChoice {
    case none, unknown, nominal, fair, serious, critical, shutdown
    static let typeName = "GstThermalCapsLevel"
    var nick: String { ["none", "unknown", "nominal", "fair", "serious", "critical", "shutdown"][Int(rawValue)] }
    var summary: String {
        switch self {
        case .none: "Level of the sensors"
        case .unknown: "Unknown: nothing changes"
        case .nominal: "Cool"
        case .fair: "Warm; quality is not reduced yet"
        case .serious: "The machine slows down"
        case .critical: "The machine is much too hot"
        case .shutdown: "The machine is about to switch off"
        }
    }
    var level: ThermalLevel? { self == .none ? nil : ThermalLevel.allCases.first { $0.name == nick } }
}

enum SizeChoice: Int32, PropertyChoice {
    case auto, yes, no
    static let typeName = "GstThermalCapsSizeChange"
    var nick: String { ["auto", "true", "false"][Int(rawValue)] }
    var summary: String {
        switch self {
        case .auto: "Change the caps unless a muxer downstream would refuse new caps"
        case .yes: "Always change the caps"
        case .no: "Keep the caps: only drop frames and lower the bitrate"
        }
    }
}

extension LadderRules.Policy: PropertyChoice {
    public static let typeName = "GstThermalCapsPolicy"
    public var nick: String {
        switch self {
        case .balanced: "balanced"
        case .maintainFramerate: "maintain-framerate"
        case .maintainResolution: "maintain-resolution"
        case .bitrateFirst: "bitrate-first"
        }
    }
    public var summary: String {
        switch self {
        case .balanced: "Frame rate and bitrate first, then size and frame rate in turn"
        case .maintainFramerate: "Bitrate first, then size"
        case .maintainResolution: "Bitrate first, then frame rate"
        case .bitrateFirst: "Bitrate down to a third, then size and frame rate in turn"
        }
    }
}
