/// What a pool has cost and how often it changed, over all windows.
public struct PoolLedger: Sendable, Equatable {
    public private(set) var grows: UInt64 = 0
    public private(set) var shrinks: UInt64 = 0
    public private(set) var meanBytes = 0.0
    public private(set) var peakBytes: UInt64 = 0
    /// The size when a window last ended.
    public private(set) var lastSize: Int?
    private var observed: Duration = .zero

    /// For a pool that begins with `size` buffers.
    public init(size: Int? = nil) { lastSize = size }

    /// Called when a window of `length` ends with `size` buffers; returns the size before when it has changed.
    public mutating func windowEnded(size: Int, bytesInBuffer: Int, length: Duration) -> Int? {
        let bytes = Double(max(size, 0)) * Double(max(bytesInBuffer, 0))
        peakBytes = max(peakBytes, bytes < 1e18 ? UInt64(bytes) : .max)
        observed += length
        if observed > .zero { meanBytes += (bytes - meanBytes) * min(1, max(0, length / observed)) }
        guard let before = lastSize, before != size else {
            lastSize = size
            return nil
        }
        lastSize = size
        if size > before { grows += 1 } else { shrinks += 1 }
        return before
    }
}
