import ElasticPool
import GStreamer
import PoolPolicy

// The enums of the properties. Those of the policy and the engine are named here for GObject.

enum Preference: Int32, PropertyChoice {
    case auto, downstream, own
    static let typeName = "GstAdaptivePoolPreference"
    var nick: String {
        switch self {
        case .auto: "auto"
        case .downstream: "downstream"
        case .own: "own"
        }
    }
    var summary: String {
        switch self {
        case .auto: "Downstream's when its frames are not in system memory, else the adaptive one"
        case .downstream: "Downstream's, whenever it has one"
        case .own: "The adaptive one, always"
        }
    }
}

extension WhenEmpty: PropertyChoice {
    public static let typeName = "GstAdaptivePoolOnEmpty"
    public var nick: String {
        switch self {
        case .grow: "grow"
        case .wait: "wait"
        case .drop: "drop"
        }
    }
    public var summary: String {
        switch self {
        case .grow: "Make one more, up to max-buffers; then wait for one to come back"
        case .wait: "Wait for one to come back, or for the next window"
        case .drop: "Make one more, up to max-buffers; then let the frame go"
        }
    }
}

extension PoolMemory: PropertyChoice {
    public static let typeName = "GstAdaptivePoolMemory"
    public var nick: String {
        switch self {
        case .system: "system"
        case .memfd: "memfd"
        case .udmabuf: "udmabuf"
        }
    }
    public var summary: String {
        switch self {
        case .system: "Memory of this process"
        case .memfd: "Files in memory, which other processes can map without a copy"
        case .udmabuf: "DMABufs over files in memory, which devices can import without a copy"
        }
    }
}

extension Predictor: PropertyChoice {
    public static let typeName = "GstAdaptivePoolPredictor"
    public var nick: String {
        switch self {
        case .none: "none"
        case .ewma: "ewma"
        case .ar1: "ar1"
        case .trend: "trend"
        }
    }
    public var summary: String {
        switch self {
        case .none: "As in the last window"
        case .ewma: "An average in which the past fades"
        case .ar1: "The average, and what the last window tells about the next"
        case .trend: "As in the last window, or more when the need rises"
        }
    }
}
