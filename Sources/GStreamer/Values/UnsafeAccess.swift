import CGStreamer

// The way down to C, for engines that need more of it than the bridge binds. A C pointer is valid for one call.

extension Buffer {
    /// Takes the caller's reference to a `GstBuffer`.
    public init(unsafeTaking raw: UnsafeMutableRawPointer) {
        self.init(taking: raw.assumingMemoryBound(to: GstBuffer.self))
    }

    /// Gives the reference to the caller.
    public consuming func unsafeGive() -> UnsafeMutableRawPointer { UnsafeMutableRawPointer(give()) }
}

extension BufferPoolHost {
    /// Lends the `GstBufferPool`; the Swift pool may keep the pointer, since the C instance outlives it.
    public func withUnsafePointer<R>(_ body: (UnsafeMutableRawPointer) throws -> R) rethrows -> R { try body(pool) }
}

extension PoolConfiguration {
    /// Lends the `GstStructure`, which may be written to.
    public func withUnsafePointer<R>(_ body: (UnsafeMutableRawPointer) throws -> R) rethrows -> R { try body(raw) }
}

extension BufferPool {
    /// The Swift object behind a `GstBufferPool`; nil when it is of another class.
    public static func object(behind pool: UnsafeMutableRawPointer) -> Self? {
        swiftPool(behind: pool.assumingMemoryBound(to: GstBufferPool.self)) as? Self
    }
}

extension Event {
    /// Gives the reference to the caller, a `GstEvent`.
    public consuming func unsafeGive() -> UnsafeMutableRawPointer { UnsafeMutableRawPointer(give()) }
}
