/// Counters of a pool since its start.
public struct PoolCounts: Sendable, Equatable {
    /// Number of buffers, idle ones included.
    public var size = 0
    /// Number of buffers that elements hold.
    public var inUse = 0
    /// Largest number in use since the window began.
    public var peakInWindow = 0
    /// Largest number in use.
    public var peak = 0
    /// Number of acquires.
    public var acquires: UInt64 = 0
    /// Acquires that found no idle buffer and made one.
    public var grown: UInt64 = 0
    /// Acquires that waited, or returned no buffer.
    public var stalls: UInt64 = 0
    /// Sum of the times for which acquires waited.
    public var stallTime = Duration.zero
    /// Acquires that returned the spare buffer, whose frame is dropped.
    public var dropped: UInt64 = 0
    /// Buffers that could not be allocated.
    public var failures: UInt64 = 0
    /// Buffers that were released with changed memory, and were freed.
    public var discarded: UInt64 = 0
    /// Whether an acquire has waited at the limit since the window began.
    public var hitLimit = false
    /// Number of acquires that wait now.
    public var waiting = 0
    /// Size of a buffer in bytes.
    public var bytesInBuffer = 0
    // Last, so that the counters of every acquire share a cache line.
    /// Largest number of buffers.
    public var peakSize = 0

    public init() {}

    /// Counts one more buffer.
    mutating func added() {
        size += 1
        peakSize = max(peakSize, size)
    }
}
