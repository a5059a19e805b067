/// The requirements in a pool's configuration.
public struct PoolNeeds: Sendable, Equatable {
    /// Size of a buffer in bytes.
    public let bytesInBuffer: Int
    /// Least number of buffers.
    public let minimum: Int
    /// Nil when there is no limit.
    public let maximum: Int?

    /// Creates needs of their parts.
    public init(bytesInBuffer: Int, minimum: Int, maximum: Int?) {
        self.bytesInBuffer = bytesInBuffer
        self.minimum = minimum
        self.maximum = maximum
    }
}

/// One activation of a pool, from its start to its stop.
public struct PoolActivation: Sendable, Equatable {
    let generation: Int
}

/// The response to an acquire that finds no idle buffer.
///
/// With `GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT` no acquire waits. The raw values are those of the GEnum
/// `GstAdaptivePoolOnEmpty`.
public enum WhenEmpty: Int32, Sendable, CaseIterable {
    /// Makes a buffer, up to the limit; waits at the limit.
    case grow
    /// Waits until a buffer is released or the pool has grown; makes one only up to `PoolPlan.assured`.
    case wait
    /// As `grow`; at the limit, returns a spare buffer whose frame is dropped.
    case drop
}

/// The settings with which a pool starts.
public struct PoolPlan: Sendable {
    /// Number of buffers at the start.
    public var size: Int
    /// Number of buffers up to which every acquire may grow the pool.
    public var assured: Int
    /// Number of buffers up to which acquires may grow the pool with `WhenEmpty.grow`; nil for no limit.
    public var limit: Int?
    /// The response to an acquire that finds no idle buffer.
    public var whenEmpty: WhenEmpty
    /// Kind of memory.
    public var memory: PoolMemory
    /// Whether the pages of the first buffers are made present at once.
    public var touches: Bool

    /// Creates a plan of its parts.
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
