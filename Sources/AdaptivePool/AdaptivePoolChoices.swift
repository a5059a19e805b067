import ElasticPool
import GStreamer
import PoolPolicy

// GObject names of the enum properties. Most of the enums are declared in PoolPolicy and ElasticPool.

enum Preference: Int32, PropertyChoice {
    case auto, downstream, own
    static let typeName = "GstAdaptivePoolPreference"
    var nick: String { ["auto", "downstream", "own"][Int(rawValue)] }
    var summary: String {
        switch self {
        case .auto: "The downstream pool if its memory is not system memory, else the adaptive pool"
        case .downstream: "The downstream pool whenever there is one"
        case .own: "Always the adaptive pool"
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
        case .grow: "Allocate a buffer, up to max-buffers; then wait until one is released"
        case .wait: "Wait until a buffer is released or the pool grows at the end of a window"
        case .drop: "Allocate a buffer, up to max-buffers; then drop the frame"
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
        case .memfd: "Files in memory (memfd), which other processes can map without a copy"
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
        case .none: "The peak of the last window"
        case .ewma: "Exponentially weighted moving average"
        case .ar1: "The mean, plus the deviation of the last window times the autocorrelation"
        case .trend: "The peak of the last window, or its trend if that is higher"
        }
    }
}
