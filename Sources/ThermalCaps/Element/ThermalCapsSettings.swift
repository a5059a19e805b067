import GStreamer
import MachineSensors
import MachineState
import ThermalPolicy

/// The writable properties of `thermalcaps`.
struct ThermalCapsSettings: ElementSettings {
    typealias Report = ThermalCapsReport

    var isEnabled = true
    var policy = QualityPolicy.balanced
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
            .choice("policy", \.policy, "Order in which bitrate, frame rate and size are reduced", flags: .anyTime),
            .choice(
                "device-tier", \.tier,
                "Frame rate on a cool machine: all, three quarters, or half",
                flags: .anyTime),
            .string(
                "zones", \.zones,
                "Names of the sensors that count, with * and ?, separated by commas (NULL = default selection)"),
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
                "Interval between two readings of the sensors, in nanoseconds", flags: .beforeStart),
            .choice("forced-level", \.forced, "Level that replaces the level of the sensors", flags: .anyTime),
            .uint64(
                "down-dwell", \.downDwell, in: 0...anHour, "The least time between two steps down, in nanoseconds",
                flags: .anyTime),
            .uint64(
                "up-dwell", \.upDwell, in: 0...anHour, "How long it must be cooler before a step up, in nanoseconds",
                flags: .anyTime),
            .uint64(
                "max-up-dwell", \.longestUpDwell, in: 0...anHour,
                "Upper limit for up-dwell, which doubles when a step up does not last, in nanoseconds", flags: .anyTime),
            .double(
                "hysteresis", \.hysteresis, in: 0...50,
                "How far a temperature must fall to leave a level, in degrees, where the sensor does not say",
                flags: .anyTime),
            .uint64(
                "forecast", \.horizon, in: 0...600_000_000_000,
                "Time for which the trend of the temperature is extrapolated, in nanoseconds (0 = no forecast)",
                flags: .anyTime),
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

    var policySettings: ThermalPolicy.Settings {
        var settings = ThermalPolicy.Settings()
        settings.times.downDwell = .nanoseconds(Int64(clamping: downDwell))
        settings.times.upDwell = .nanoseconds(Int64(clamping: upDwell))
        settings.times.longestUpDwell = .nanoseconds(Int64(clamping: longestUpDwell))
        settings.rules.policy = policy
        settings.rules.minimumRate = FrameRate(Int(minimumRate), 1)
        settings.rules.minimumHeight = Int(minimumHeight)
        settings.rules.custom = customLadder.limits
        settings.neverStops = neverStops
        settings.hysteresis = hysteresis
        settings.forecast = .nanoseconds(Int64(clamping: horizon))
        settings.zones = zones
        settings.forcedLevel = forced.level
        return settings
    }
}
