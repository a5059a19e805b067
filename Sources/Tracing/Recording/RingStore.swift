import CSystem

/// A fixed number of rings, allocated once, so that a thread takes a ring at its first mark without allocating memory.
///
/// The store is never freed, because a thread may record a mark at any time. Memory that is not written uses only
/// address space.
@safe struct RingStore: Sendable {
    // The rings are never freed, and each ring orders the accesses of its two threads.
    private nonisolated(unsafe) let rings: UnsafeMutablePointer<RecordRing>
    let count: Int

    /// Creates the rings; nil if the memory cannot be mapped.
    init?(rings count: Int, records: Int) {
        guard let memory = unsafe ctracing_map(count * records * MemoryLayout<TraceRecord>.stride) else { return nil }
        let first = unsafe memory.bindMemory(to: TraceRecord.self, capacity: count * records)
        unsafe rings = .allocate(capacity: count)
        self.count = count
        for index in 0..<count {
            unsafe (rings + index).initialize(to: RecordRing(first + (index * records), capacity: records))
        }
    }

    /// Takes a ring for the calling thread; nil if none is free.
    func take() -> UnsafeMutablePointer<RecordRing>? {
        for index in 0..<count where unsafe rings[index].owner.take() { return unsafe rings + index }
        return nil
    }

    subscript(index: Int) -> UnsafeMutablePointer<RecordRing> { unsafe rings + index }

    /// Requests memory for `wanted` free rings in advance, so that new threads do not wait for memory.
    ///
    /// The function writes nothing to a ring, because a thread may take the ring at the same time.
    func provide(_ wanted: Int) {
        var left = wanted
        for index in 0..<count where left > 0 {
            guard unsafe rings[index].owner.stage == .free else { continue }
            unsafe rings[index].providePages()
            left -= 1
        }
    }

    /// Drops all records, and frees the rings of threads that have ended.
    func clear() {
        for index in 0..<count {
            let hasLeft = unsafe rings[index].owner.stage == .left
            unsafe rings[index].clear()
            if hasLeft { unsafe rings[index].owner.free() }
        }
    }

    /// Returns the memory of all rings to the kernel.
    func discardPages() { for index in 0..<count { unsafe rings[index].discardPages() } }
}
