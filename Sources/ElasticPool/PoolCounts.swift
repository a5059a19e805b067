/// Counters of a pool since its start.
public struct PoolCounts: Sendable, Equatable {
    /// Number of buffers, including idle buffers.
    public var size = 0
    /// Number of buffers that elements hold.
    public var inUse = 0
    /// Largest number of buffers in use since the start of the window.
    public var peakInWindow = 0
    /// Largest number of buffers in use since the start of the pool.
    public var peak = 0
    /// Number of acquires.
    public var acquires: UInt64 = 0
    /// Acquires that found no idle buffer and allocated one.
    public var grown: UInt64 = 0
    /// Acquires that waited or returned no buffer.
    public var stalls: UInt64 = 0
    /// Sum of the waiting times of acquires.
    public var stallTime = Duration.zero
    /// Acquires that returned the spare buffer, whose frame is dropped.
    public var dropped: UInt64 = 0
    /// Buffers that could not be allocated.
    public var failures: UInt64 = 0
    /// Buffers that were released with changed memory, and freed.
    public var discarded: UInt64 = 0
    /// Whether an acquire found no idle buffer at the limit since the start of the window.
    public var hitLimit = false
    /// Number of acquires that wait at present.
    public var waiting = 0
    /// Size of a buffer in bytes.
    public var bytesInBuffer = 0
    /// Largest number of buffers; the field is last, so that the counters of each acquire share a cache line.
    public var peakSize = 0

    public init() {}

    mutating func added() {
        size += 1
        peakSize = max(peakSize, size)
    }
}
