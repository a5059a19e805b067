#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Memory that is allocated anew only when a larger size is needed.
@safe struct GrowingMemory: ~Copyable {
    private(set) var start: UnsafeMutableRawPointer?
    private var capacity = 0

    init() { unsafe start = nil }

    deinit { unsafe free(start) }

    /// Ensures the size, which may change the bytes; returns false if memory is refused.
    mutating func take(_ size: Int) -> Bool {
        guard size > capacity else { return true }
        unsafe free(start)
        unsafe start = malloc(size)
        capacity = unsafe start == nil ? 0 : size
        return capacity > 0
    }
}
