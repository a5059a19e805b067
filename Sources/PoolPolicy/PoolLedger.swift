/// Counts changes of the size of a pool, and averages its memory.
public struct PoolLedger: Sendable, Equatable {
    /// A change of the size, as reported in the message `adaptive-pool-resized`.
    public struct Change: Sendable, Equatable {
        /// Number of buffers before the change.
        public let old: Int
        /// Number of buffers after the change.
        public let new: Int
        /// Reason of the change.
        public let reason: ResizeReason
    }

    /// Number of times that the pool grew.
    public private(set) var grows: UInt64 = 0
    /// Number of times that the pool shrank.
    public private(set) var shrinks: UInt64 = 0
    /// Mean memory over time, in bytes; nil before the first observation.
    public private(set) var meanBytes: Double?
    private var settledSize: Int
    private var observed: Duration = .zero
    /// Reason of the last action that shrinks the pool, kept because buffers in use are freed only at their release.
    private var shrinkReason: ResizeReason?
    /// Size of the pool before the action by which it is shrinking now; nil if it is not shrinking.
    private var sizeAtOrder: Int?

    /// Creates a ledger for a pool that begins with `size` buffers.
    public init(size: Int = 0) { settledSize = size }

    /// Records that the pool had `size` buffers for the time `length`.
    public mutating func observed(size: Int, bytesInBuffer: Int, for length: Duration) {
        let bytes = Double(max(size, 0)) * Double(max(bytesInBuffer, 0))
        observed += length
        guard observed > .zero else { return }
        let mean = meanBytes ?? bytes
        meanBytes = mean + ((bytes - mean) * min(1, max(0, length / observed)))
    }

    /// Records that a pool of `size` buffers begins to execute `action`.
    public mutating func ordered(_ action: PoolAction, at size: Int) {
        guard case .resize(let target, let reason) = action else {
            sizeAtOrder = nil
            return
        }
        shrinkReason = target < size ? reason : nil
        sizeAtOrder = target < size ? sizeAtOrder ?? size : nil
    }

    /// Returns the change if `action` was executed before the end of the window; nil if the size has not changed yet.
    public mutating func settled(from before: Int, to size: Int, after action: PoolAction) -> Change? {
        // The change includes the buffers that were freed since the action began.
        let before = sizeAtOrder ?? before
        guard action != .keep, before != size else { return nil }
        sizeAtOrder = nil
        _ = settled(size: before, after: .keep)
        return settled(size: size, after: action)
    }

    /// Returns the change at the end of a window; nil if the size has not changed since the end of the last window.
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
