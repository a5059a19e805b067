import GStreamer
import MachineState
import ThermalPolicy

/// The writable properties of `thermalcaps`.
struct ThermalCapsSettings: ElementSettings {
    typealias Report = ThermalCapsReport
    static let defaultFlags = PropertyFlags.anyTime

    var isEnabled = true
    /// The settings of `ThermalPolicy`, which defines their defaults.
    var policy = ThermalPolicy.Settings()
    var tier = TierChoice.high
    var sensorRoot: String?
    var systemRoot: String?
    var pollInterval = Duration.seconds(2)
    var forced = ForcedLevel.none
    var minimumRate: UInt32 = 10
    var mayChangeSize = SizeChoice.auto
    var customLadder = CustomLadder()
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
                get: { $0.customLadder.text }, parse: parseLadder),
            .string(
                "encoder", \.encoder, "Name of the encoder whose bitrate is lowered (NULL = the first downstream)"),
            .bool(
                "never-stop", \.policy.neverStops,
                "When the machine is about to switch off, reduce quality to the minimum instead of ending with an error"
            ),
        ] + ThermalCapsReport.properties
}
