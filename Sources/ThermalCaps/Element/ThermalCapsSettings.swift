import GStreamer
import MachineSensors
import MachineState
import ThermalPolicy

/// The properties of `thermalcaps`.
struct ThermalCapsSettings: ElementSettings {
    typealias Report = ThermalCapsReport

    var isEnabled = true
    var policy = PolicyChoice.balanced
    var tier = TierChoice.high
    var zones: String?
    var sensorRoot: String?
    var systemRoot: String?
    var pollInterval: UInt64 = 2_000_000_000
    var forced = ForcedLevel.none
    var downDwell: UInt64 = 2_000_000_000
    var upDwell: UInt64 = 40_000_000_000
    var longestUpDwell: UInt64 = 240_000_000_000
    var hysteresis = 5.0
    var horizon: UInt64 = 10_000_000_000
    var minimumRate: UInt32 = 10
    var minimumHeight: UInt32 = 240
    var mayChangeSize = SizeChoice.auto
    var customLadder = CustomLadder()
    var encoder: String?
    var neverStops = false

    private static let anHour: UInt64 = 3_600_000_000_000

    static let properties: [Property<Self>] =
        [
            .bool("enabled", \.isEnabled, "Whether to act; if not, frames pass untouched", flags: .anyTime),
            .choice("policy", \.policy, "What is given up first", flags: .anyTime),
            .choice(
                "device-tier", \.tier,
                "How much the machine is given when it is cool: all, three quarters of the frame rate, or half of it",
                flags: .anyTime),
            .string(
                "zones", \.zones,
                "Names of the sensors that count, with * and ?, separated by commas (NULL = those of the machine)"),
            .string(
                "sensor-root", \.sensorRoot,
                "Folder that contains proc and sys, for tests (NULL = the root of the file system)",
                flags: .beforeStart),
            .string(
                "sysfs-root", \.systemRoot,
                "Folder that replaces /sys, for tests; has no effect when sensor-root is set (deprecated: use sensor-root)",
                flags: [.beforeStart, .deprecated]
            ).storedInPresets(false),
            .uint64(
                "poll-interval", \.pollInterval, in: 10_000_000...anHour,
                "How often the sensors are looked at, in nanoseconds", flags: .beforeStart),
            .choice("forced-level", \.forced, "Take this level, whatever the sensors say", flags: .anyTime),
            .uint64(
                "down-dwell", \.downDwell, in: 0...anHour, "The least time between two steps down, in nanoseconds",
                flags: .anyTime),
            .uint64(
                "up-dwell", \.upDwell, in: 0...anHour, "How long it must be cooler before a step up, in nanoseconds",
                flags: .anyTime),
            .uint64(
                "max-up-dwell", \.longestUpDwell, in: 0...anHour,
                "What up-dwell doubles to when steps up do not last, in nanoseconds", flags: .anyTime),
            .double(
                "hysteresis", \.hysteresis, in: 0...50,
                "How far a temperature must fall to leave a level, in degrees, where the sensor does not say",
                flags: .anyTime),
            .uint64(
                "forecast", \.horizon, in: 0...600_000_000_000,
                "How far ahead the trend of the temperature counts, in nanoseconds (0 = not at all)", flags: .anyTime),
            .uint32(
                "min-framerate", \.minimumRate, in: 1...1000, "Frames per second below which no step goes",
                flags: .anyTime),
            .uint32(
                "min-height", \.minimumHeight, in: 16...16_384,
                "Rows below which no step goes (columns, when the picture stands)", flags: .anyTime),
            .choice(
                "allow-resolution-change", \.mayChangeSize, "Whether the caps may change while the stream runs",
                flags: .anyTime),
            .string(
                "custom-ladder",
                "The most for the levels fair, serious, critical and shutdown, in place of a policy: caps with width, height, framerate and bitrate-share, separated by semicolons",
                get: { $0.customLadder.text }, parse: parseLadder),
            .string(
                "encoder", \.encoder, "The name of the encoder whose bitrate to lower (NULL = the first downstream)"),
            .bool(
                "never-stop", \.neverStops,
                "Go to the least quality, instead of ending with an error, when the machine is about to switch off",
                flags: .anyTime),
        ] + ThermalCapsReport.properties

    @Sendable private static func parseLadder(_ text: String?) throws(ElementError) -> Property<Self>.Update {
        let ladder = try CustomLadder(text)
        return { $0.customLadder = ladder }
    }

    /// The folders that stand for `/sys` and `/proc`.
    var machineRoot: MachineRoot {
        sensorRoot.map(MachineRoot.init(folder:)) ?? systemRoot.map(MachineRoot.init(system:)) ?? .machine
    }

    var times: LadderClimb.Times {
        var times = LadderClimb.Times()
        times.downDwell = .nanoseconds(Int64(clamping: downDwell))
        times.upDwell = .nanoseconds(Int64(clamping: upDwell))
        times.longestUpDwell = .nanoseconds(Int64(clamping: longestUpDwell))
        return times
    }

    /// The rules, but for what depends on the machine and the pipeline.
    var rules: LadderRules {
        var rules = LadderRules()
        rules.policy = policy.value
        rules.minimumRate = FrameRate(Int(minimumRate), 1)
        rules.minimumHeight = Int(minimumHeight)
        rules.custom = customLadder.limits
        return rules
    }
}

enum PolicyChoice: Int32, PropertyChoice {
    case balanced, maintainFramerate, maintainResolution, bitrateFirst
    static let typeName = "GstThermalCapsPolicy"
    var nick: String {
        switch self {
        case .balanced: "balanced"
        case .maintainFramerate: "maintain-framerate"
        case .maintainResolution: "maintain-resolution"
        case .bitrateFirst: "bitrate-first"
        }
    }
    var summary: String {
        switch self {
        case .balanced: "Frame rate and bitrate first, then size and frame rate in turn"
        case .maintainFramerate: "Bitrate first, then size"
        case .maintainResolution: "Bitrate first, then frame rate"
        case .bitrateFirst: "Bitrate down to a third, then size and frame rate in turn"
        }
    }
    var value: QualityPolicy {
        switch self {
        case .balanced: .balanced
        case .maintainFramerate: .maintainFramerate
        case .maintainResolution: .maintainResolution
        case .bitrateFirst: .bitrateFirst
        }
    }
}

enum TierChoice: Int32, PropertyChoice {
    case auto, low, medium, high
    static let typeName = "GstThermalCapsTier"
    var nick: String {
        switch self {
        case .auto: "auto"
        case .low: "low"
        case .medium: "medium"
        case .high: "high"
        }
    }
    var summary: String {
        switch self {
        case .auto: "Judged by processors, memory and frequency"
        case .low: "Half of the frame rate"
        case .medium: "Three quarters of the frame rate"
        case .high: "All"
        }
    }
}

enum ForcedLevel: Int32, PropertyChoice {
    case none, unknown, nominal, fair, serious, critical, shutdown
    static let typeName = "GstThermalCapsLevel"
    var nick: String {
        switch self {
        case .none: "none"
        case .unknown: "unknown"
        case .nominal: "nominal"
        case .fair: "fair"
        case .serious: "serious"
        case .critical: "critical"
        case .shutdown: "shutdown"
        }
    }
    var summary: String {
        switch self {
        case .none: "As the sensors say"
        case .unknown: "Nobody can tell: nothing changes"
        case .nominal: "Cool"
        case .fair: "Warm; nothing is done yet"
        case .serious: "The machine slows down"
        case .critical: "Much too hot"
        case .shutdown: "About to switch off"
        }
    }
    var level: ThermalLevel? { self == .none ? nil : ThermalLevel.allCases.first { $0.name == nick } }
}

enum SizeChoice: Int32, PropertyChoice {
    case auto, yes, no
    static let typeName = "GstThermalCapsSizeChange"
    var nick: String {
        switch self {
        case .auto: "auto"
        case .yes: "true"
        case .no: "false"
        }
    }
    var summary: String {
        switch self {
        case .auto: "Unless there is a muxer downstream that would refuse new caps"
        case .yes: "Whatever is downstream"
        case .no: "The caps stay: frames are dropped, and the bitrate is lowered"
        }
    }
}
