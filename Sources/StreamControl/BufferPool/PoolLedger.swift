/// What a pool has cost and how often it changed.
public struct PoolLedger: Sendable, Equatable {
    /// A change of the size that somebody may want to hear of.
    public struct Change: Sendable, Equatable {
        public let old: Int
        public let new: Int
        public let reason: ResizeReason
    }

    public private(set) var grows: UInt64 = 0
    public private(set) var shrinks: UInt64 = 0
    /// Nil before the first look.
    public private(set) var meanBytes: Double?
    private var settledSize: Int
    private var observed: Duration = .zero
    /// Why the pool was last told to shrink: buffers in use go only when they come back.
    private var shrinkReason: ResizeReason?
    /// How large it was when the order came that is still being carried out.
    private var sizeAtOrder: Int?

    /// For a pool that begins with `size` buffers.
    public init(size: Int = 0) { settledSize = size }

    /// Called when the pool has had `size` buffers for `length`.
    public mutating func observed(size: Int, bytesInBuffer: Int, for length: Duration) {
        let bytes = Double(max(size, 0)) * Double(max(bytesInBuffer, 0))
        observed += length
        guard observed > .zero else { return }
        let mean = meanBytes ?? bytes
        meanBytes = mean + ((bytes - mean) * min(1, max(0, length / observed)))
    }

    /// Called when a pool of `before` buffers was told to do something.
    public mutating func told(_ action: PoolAction, of before: Int) {
        guard case .resize(let target, let reason) = action else {
            sizeAtOrder = nil
            return
        }
        shrinkReason = target < before ? reason : nil
        sizeAtOrder = target < before ? sizeAtOrder ?? before : nil
    }

    /// Called when `action` was carried out before the window ended; nil when it has changed nothing so far.
    public mutating func settled(from before: Int, to size: Int, after action: PoolAction) -> Change? {
        // Buffers that came back between two looks went then, not now.
        let before = sizeAtOrder ?? before
        guard action != .keep, before != size else { return nil }
        sizeAtOrder = nil
        _ = settled(size: before, after: .keep)
        return settled(size: size, after: action)
    }

    /// Called when a window ends; nil when the size is as it was before.
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
