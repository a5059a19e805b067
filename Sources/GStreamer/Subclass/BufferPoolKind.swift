/// What runs a buffer pool: it says how many buffers there are to be, and hears what happens.
///
/// One object stands behind each pool; any thread may call it. The pool itself, `ElasticPool`, does the work.
/// The corresponding C class is `GstBufferPool`.
public protocol BufferPoolKind: AnyObject, Sendable {
    /// The name of the GType, such as `GstAdaptiveBufferPool`.
    static var typeName: String { get }

    init(pool: ElasticPool)

    /// Called when the pool is activated; `needs` is what its configuration asks for.
    func plan(_ needs: PoolNeeds) -> PoolPlan

    /// Called when the pool has the buffers it begins with, before any is asked for.
    func started(_ activation: PoolActivation)

    /// Called when the pool is deactivated and all buffers have come back. Must not wait.
    func stop()

    /// Called when there was no memory for a buffer and the pool goes on without it; on any thread.
    func couldNotMakeBuffer()

    /// Called when there is no memory for the buffers that the stream needs, and it has to end; on its thread.
    func ranOutOfMemory()

    /// Called when all buffers up to the limit are in use and an acquire would have to wait; on its thread.
    ///
    /// Called again each time the acquire has waited as told.
    func stoodStill(_ standstill: PoolStandstill) -> PoolPatience

    /// Called after every sixteenth acquire and after each that found no idle buffer; on the streaming thread.
    func acquired(afterNanoseconds time: UInt64, foundIdle: Bool)
}

/// What a pool's configuration asks for.
public struct PoolNeeds: Sendable, Equatable {
    public let bytesInBuffer: Int
    public let minimum: Int
    /// Nil when there is no limit.
    public let maximum: Int?
}

/// One activation of a pool, from its start to its stop.
public struct PoolActivation: Sendable, Equatable {
    let generation: Int
}

/// A pool with no idle buffer that may not grow.
public struct PoolStandstill: Sendable, Equatable {
    /// The number of buffers, all in use.
    public let size: Int
    /// The time since a buffer came back, or since the first acquire found none.
    public let quietNanoseconds: UInt64
    /// The longest time that recently passed between two buffers that came back.
    public let longestGapNanoseconds: UInt64
}

/// What an acquire does when a pool stands still.
public enum PoolPatience: Sendable, Equatable {
    /// It waits for a buffer, and asks again after so long; nil waits without end.
    case wait(nanoseconds: UInt64?)
    /// It makes a buffer, as all acquires may until there are so many.
    case grow(upTo: Int)
}

/// What a pool does when no buffer is idle.
///
/// With `GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT` nobody waits whatever the plan.
public enum WhenEmpty: Int32, Sendable {
    /// Makes one more, up to the limit; waits at the limit.
    case grow
    /// Waits until one is given back, or until the pool has grown; makes one only up to the `assured`.
    case wait
    /// As `grow`, but at the limit hands out a buffer to be thrown away.
    case drop
}

/// How a pool begins.
public struct PoolPlan: Sendable {
    /// The buffers it starts with.
    public var size: Int
    /// The buffers it may always have, though it does not start with them.
    public var assured: Int
    /// How far it may grow by itself; nil for no limit.
    public var limit: Int?
    public var whenEmpty: WhenEmpty
    public var memory: PoolMemory
    /// Whether the pages of the first buffers are made present at once.
    public var touches: Bool

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

/// What a pool has done.
public struct PoolCounts: Sendable, Equatable {
    /// The buffers it has, idle ones included.
    public var size = 0
    public var inUse = 0
    /// The most in use since the window began.
    public var peakInWindow = 0
    /// The most in use ever.
    public var peak = 0
    public var acquires: UInt64 = 0
    /// Acquires that found no idle buffer and had one made.
    public var grown: UInt64 = 0
    /// Acquires that had to wait, or got none.
    public var stalls: UInt64 = 0
    public var stallNanoseconds: UInt64 = 0
    /// Buffers handed out to be thrown away.
    public var thrownAway: UInt64 = 0
    /// Buffers that could not be made.
    public var failures: UInt64 = 0
    /// Buffers that came back changed, and could not be used again.
    public var discarded: UInt64 = 0
    /// Whether an acquire had to wait since the window began, with all buffers there may be in use.
    public var hitLimit = false
    /// The acquires that wait now.
    public var waiting = 0
    public var bytesInBuffer = 0
    // Last, so that what every acquire counts stays in one cache line.
    /// The most buffers it has had.
    public var peakSize = 0

    public init() {}

    /// One buffer more.
    mutating func added() {
        size += 1
        peakSize = max(peakSize, size)
    }
}
