import GStreamer
import MachineState
import ThermalPolicy

// The values of `policy`.
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

/// The values of `device-tier`.
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
        case .auto: "Determined by processors, memory and frequency"
        case .low: "Half of the frame rate"
        case .medium: "Three quarters of the frame rate"
        case .high: "The full frame rate"
        }
    }

    func value(machine: DeviceTier) -> DeviceTier {
        switch self {
        case .auto: machine
        case .low: .low
        case .medium: .medium
        case .high: .high
        }
    }
}

/// The values of `forced-level`.
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

/// The values of `allow-resolution-change`.
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
        case .auto: "Change the caps unless a muxer downstream would refuse new caps"
        case .yes: "Always change the caps"
        case .no: "Keep the caps: only drop frames and lower the bitrate"
        }
    }
}
