/// Measurements of a pool over one window of time.
public struct PoolWindow: Sendable, Equatable {
    /// Number of buffers at the end of the window, including idle buffers.
    public var size: Int
    /// Largest number of buffers in use at the same time.
    public var peakInUse: Int
    /// Number of acquires.
    public var acquires: Int
    /// Number of acquires that waited or returned no buffer.
    public var stalls: Int
    /// Pressure of the machine at the end of the window.
    public var pressure: PoolPressure

    /// Creates a window from its parts.
    public init(
        size: Int, peakInUse: Int, acquires: Int = 0, stalls: Int = 0, pressure: PoolPressure = .none
    ) {
        self.size = size
        self.peakInUse = peakInUse
        self.acquires = acquires
        self.stalls = stalls
        self.pressure = pressure
    }
}

/// Decision at the end of a window.
public enum PoolAction: Sendable, Equatable {
    /// The number of buffers does not change.
    case keep
    /// The number of buffers changes to `to`.
    case resize(to: Int, because: ResizeReason)
}

/// Reason for a change of the number of buffers; the field `reason` of the message `adaptive-pool-resized`.
public enum ResizeReason: String, Sendable, CaseIterable {
    /// The forecast for the next window exceeds the grow threshold.
    case forecast
    /// Buffers were idle.
    case idle
    /// An acquire found no idle buffer and allocated one.
    case demand
    /// Buffers were released with changed memory, and freed.
    case discarded
    /// Memory of the machine is short.
    case memoryPressure = "memory-pressure"
    /// The machine is hot.
    case thermal
    /// Too many acquires stalled, so the pool has the size of its limit until the next trial.
    case breaker
    /// A setting changed a bound.
    case settings
}
