import MachineState

/// What happened to a pool in one window of time.
public struct PoolWindow: Sendable, Equatable {
    /// The buffers the pool has at its end, idle ones included.
    public var size: Int
    /// The most that were in use at once.
    public var peakInUse: Int
    /// How many are in use at its end.
    public var inUse: Int
    /// How many buffers were asked for.
    public var acquires: Int
    /// How many of those had to wait, or got none.
    public var stalls: Int
    public var memory: MemoryState
    public var heat: ThermalLevel

    public init(
        size: Int, peakInUse: Int, inUse: Int = 0, acquires: Int = 0, stalls: Int = 0,
        memory: MemoryState = .unknown, heat: ThermalLevel = .unknown
    ) {
        self.size = size
        self.peakInUse = peakInUse
        self.inUse = inUse
        self.acquires = acquires
        self.stalls = stalls
        self.memory = memory
        self.heat = heat
    }
}

/// What a pool is to do at the end of a window.
public enum PoolAction: Sendable, Equatable {
    case keep
    case resize(to: Int, because: ResizeReason)
}

/// Why a pool changed its size.
public enum ResizeReason: String, Sendable, CaseIterable {
    /// More buffers will be in use than is comfortable.
    case forecast
    /// Buffers lay idle.
    case idle
    /// Nobody could wait: the pool grew while a buffer was asked for.
    case demand
    /// Buffers came back changed, and could not be used again.
    case discarded
    case memoryPressure = "memory-pressure"
    case thermal
    /// Too many stalls: the pool is as large as it may be until they are over.
    case breaker
    /// The settings changed.
    case settings
}
