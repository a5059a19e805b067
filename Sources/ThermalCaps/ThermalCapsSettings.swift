import GStreamer
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

extension QualityPolicy: PropertyChoice {
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
