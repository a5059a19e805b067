/// Counts the changes of a pool's size, and the memory that it has used.
public struct PoolLedger: Sendable, Equatable {
    /// A change of the size, as the message `adaptive-pool-resized` reports it.
    public struct Change: Sendable, Equatable {
        /// Number of buffers before.
        public let old: Int
        /// Number of buffers after.
        public let new: Int
        /// Why the number changed.
        public let reason: ResizeReason
    }

    /// How often the pool grew.
    public private(set) var grows: UInt64 = 0
    /// How often the pool shrank.
    public private(set) var shrinks: UInt64 = 0
    /// Mean over time; nil before the first observation.
    public private(set) var meanBytes: Double?
    private var settledSize: Int
    private var observed: Duration = .zero
    /// Reason of the last order to shrink, kept because buffers in use are freed only when they are released.
    private var shrinkReason: ResizeReason?
    /// Size before the order to shrink that is still being carried out; nil when there is none.
    private var sizeAtOrder: Int?

    /// A ledger for a pool that begins with `size` buffers.
    public init(size: Int = 0) { settledSize = size }

    /// Called when the pool has had `size` buffers for `length`.
    public mutating func observed(size: Int, bytesInBuffer: Int, for length: Duration) {
        let bytes = Double(max(size, 0)) * Double(max(bytesInBuffer, 0))
        observed += length
        guard observed > .zero else { return }
        let mean = meanBytes ?? bytes
        meanBytes = mean + ((bytes - mean) * min(1, max(0, length / observed)))
    }

    /// Called when a pool of `size` buffers begins to carry out `action`.
    public mutating func ordered(_ action: PoolAction, at size: Int) {
        guard case .resize(let target, let reason) = action else {
            sizeAtOrder = nil
            return
        }
        shrinkReason = target < size ? reason : nil
        sizeAtOrder = target < size ? sizeAtOrder ?? size : nil
    }

    /// Called when `action` was carried out before the end of the window; nil when the size has not changed yet.
    public mutating func settled(from before: Int, to size: Int, after action: PoolAction) -> Change? {
        // Includes the buffers that were freed since the order.
        let before = sizeAtOrder ?? before
        guard action != .keep, before != size else { return nil }
        sizeAtOrder = nil
        _ = settled(size: before, after: .keep)
        return settled(size: size, after: action)
    }

    /// Called at the end of a window; nil when the size is the same as at the end of the last one.
    public mutating func settled(size: Int, after action: PoolAction) -> Change? {
        let old = settledSize
        settledSize = size
        guard old != size else { return nil }
        if size < old {
            shrinks += 1
            return Change(old: old, new: size, reason: shrinkReason ?? .discarded)
        }
        grows += 1
        guard case .resize(let target, let reason) = action, size <= target else {
            return Change(old: old, new: size, reason: .demand)
        }
        return Change(old: old, new: size, reason: reason)
    }
}
