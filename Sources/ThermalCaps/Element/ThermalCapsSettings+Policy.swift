import GStreamer
import MachineSensors
import ThermalPolicy

extension ThermalCapsSettings {
    /// The properties that are limits of `ThermalPolicy`.
    static let rulesOfPolicy: [Property<Self>] = [
        .duration(
            "down-dwell", \.policy.times.downDwell, in: .zero ... .seconds(3600),
            "The least time between two steps down, in nanoseconds"),
        .duration(
            "up-dwell", \.policy.times.upDwell, in: .zero ... .seconds(3600),
            "How long it must be cooler before a step up, in nanoseconds"),
        .duration(
            "max-up-dwell", \.policy.times.longestUpDwell, in: .zero ... .seconds(3600),
            "Upper limit for up-dwell, which doubles when a step up does not last, in nanoseconds"),
        .double(
            "hysteresis", \.policy.hysteresis, in: 0...50,
            "How far a temperature must fall to leave a level, in degrees, where the sensor does not say"),
        .duration(
            "forecast", \.policy.forecast, in: .zero ... .seconds(600),
            "Time for which the trend of the temperature is extrapolated, in nanoseconds (0 = no forecast)"),
        .uint32("min-framerate", \.minimumRate, in: 1...1000, "Frames per second below which no step goes"),
        .uint32(
            "min-height", \.policy.rules.minimumHeight, in: 16...16_384,
            "Rows below which no step goes (columns, when the picture stands)"),
    ]

    @Sendable static func parseLadder(_ text: String?) throws(ElementError) -> Property<Self>.Update {
        let ladder = try CustomLadder(text)
        return { $0.customLadder = ladder }
    }

    /// The folders that stand for `/sys` and `/proc`.
    var machineRoot: MachineRoot {
        sensorRoot.map(MachineRoot.init(folder:)) ?? systemRoot.map(MachineRoot.init(system:)) ?? .machine
    }

    /// `policy`, with the values of properties whose type is another.
    var policySettings: ThermalPolicy.Settings {
        var settings = policy
        settings.rules.minimumRate = FrameRate(Int(minimumRate), 1)
        settings.rules.custom = customLadder.limits
        settings.forcedLevel = forced.level
        return settings
    }
}
