import GStreamer
import MachineSensors
import ThermalPolicy

extension ThermalCapsSettings {
    /// Properties that are limits of `ThermalPolicy`.
    static let rulesOfPolicy: [Property<Self>] = [
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

    @Sendable static func parseLadder(_ text: String?) throws(ElementError) -> Property<Self>.Update {
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
