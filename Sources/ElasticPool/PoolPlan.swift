/// Requirements that the configuration of a pool contains.
public struct PoolNeeds: Sendable, Equatable {
    /// Size of a buffer in bytes.
    public let bytesInBuffer: Int
    /// Minimum number of buffers.
    public let minimum: Int
    /// Maximum number of buffers; nil for no limit.
    public let maximum: Int?
}

/// One activation of a pool, from its start to its stop.
public struct PoolActivation: Sendable, Equatable {
    let generation: Int
}

/// Response to an acquire that finds no idle buffer.
///
/// With `GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT` no acquire waits. The raw values are those of the GEnum
/// `GstAdaptivePoolOnEmpty`.
public enum WhenEmpty: Int32, Sendable, CaseIterable {
    /// Allocates a buffer up to the limit; waits at the limit.
    case grow
    /// Waits until a buffer is released or the pool has grown; allocates only up to `PoolPlan.assured`.
    case wait
    /// Allocates a buffer up to the limit; at the limit, returns a spare buffer whose frame is dropped.
    case drop
}

/// Settings at the start of a pool.
public struct PoolPlan: Sendable {
    /// Number of buffers at the start.
    public var size: Int
    /// Number of buffers up to which every acquire may grow the pool.
    public var assured: Int
    /// Number of buffers up to which acquires may grow the pool, except with `WhenEmpty.wait`; nil for no limit.
    public var limit: Int?
    /// Response to an acquire that finds no idle buffer.
    public var whenEmpty: WhenEmpty
    /// Kind of memory of the buffers.
    public var memory: PoolMemory
    /// Whether the memory pages of the first buffers are made present at the start.
    public var touches: Bool

    /// Creates a plan from its parts.
    public init(
        size: Int, assured: Int, limit: Int?, whenEmpty: WhenEmpty = .grow, memory: PoolMemory = .system,
        touches: Bool = false
    ) {
        self.size = size
        self.assured = assured
        self.limit = limit
        self.whenEmpty = whenEmpty
        self.memory = memory
        self.touches = touches
    }
}
