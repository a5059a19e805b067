import Glibc

/// Eight rows of one component of the signal, column by column.
@safe struct Plane: ~Copyable {
    private let storage: UnsafeMutableBufferPointer<Lanes>

    /// Nil when there is no memory.
    init?(width: Int) {
        guard let storage = unsafe allocateLanes(width) else { return nil }
        unsafe storage.initialize(repeating: Lanes(0))
        unsafe self.storage = unsafe storage
    }

    deinit { unsafe free(storage.baseAddress) }

    /// The column the rows begin with.
    var firstColumn: Lanes { unsafe storage.isEmpty ? Lanes(0) : storage[0] }

    /// One element a column.
    var columns: MutableSpan<Lanes> {
        @_lifetime(&self)
        mutating get { unsafe _overrideLifetime(storage.mutableSpan, mutating: &self) }
    }

    /// One element a column, to read.
    var readOnlyColumns: Span<Lanes> {
        @_lifetime(borrow self)
        get { unsafe _overrideLifetime(Span(_unsafeElements: UnsafeBufferPointer(storage)), borrowing: self) }
    }
}

/// The composite signal of a whole field, in blocks of eight rows.
///
/// Bands write disjoint blocks, and read only after all have written.
@safe final class CompositeField {
    let width: Int
    let blockCapacity: Int
    private let storage: UnsafeMutableBufferPointer<Lanes>

    /// Nil when there is no memory.
    init?(width: Int, rows: Int) {
        self.width = width
        blockCapacity = (rows + rowsPerBlock - 1) / rowsPerBlock
        // Not initialised: every block is written before it is read, and what is never touched takes no memory.
        guard let storage = unsafe allocateLanes(width * blockCapacity) else { return nil }
        unsafe self.storage = unsafe storage
    }

    deinit { unsafe free(storage.baseAddress) }

    /// Keeps eight rows as block `index`; each block by one band only.
    func store(_ rows: borrowing Plane, block index: Int) {
        let rows = rows.readOnlyColumns
        guard rows.count == width, index >= 0, index < blockCapacity else { return }
        let place = unsafe storage.baseAddress! + (index * width)
        unsafe rows.withUnsafeBufferPointer { rows in
            unsafe place.update(from: rows.baseAddress!, count: width)
        }
    }

    /// The eight rows of block `index`, to read.
    @_lifetime(borrow self)
    func block(_ index: Int) -> Span<Lanes> {
        let part = unsafe UnsafeBufferPointer(rebasing: storage[(index * width)..<((index + 1) * width)])
        return unsafe _overrideLifetime(Span(_unsafeElements: part), borrowing: self)
    }
}

/// Memory for `count` columns; unlike Swift's own, it can be refused: caps from outside decide how much is asked for.
@unsafe private func allocateLanes(_ count: Int) -> UnsafeMutableBufferPointer<Lanes>? {
    let size = max(count, 1).multipliedReportingOverflow(by: MemoryLayout<Lanes>.stride)
    guard !size.overflow, let memory = unsafe aligned_alloc(64, (size.partialValue + 63) & ~63) else { return nil }
    return unsafe UnsafeMutableBufferPointer(start: memory.bindMemory(to: Lanes.self, capacity: count), count: count)
}
