/// Eight rows of one component of the signal, column by column.
@safe struct Plane: ~Copyable {
    private let storage: UnsafeMutableBufferPointer<Lanes>

    init(width: Int) {
        unsafe storage = .allocate(capacity: width)
        unsafe storage.initialize(repeating: Lanes(0))
    }

    deinit { unsafe storage.deallocate() }

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

    init(width: Int, rows: Int) {
        self.width = width
        blockCapacity = (rows + rowsPerBlock - 1) / rowsPerBlock
        // Not initialised: every block is written before it is read, and what is never touched takes no memory.
        unsafe storage = .allocate(capacity: width * blockCapacity)
    }

    deinit { unsafe storage.deallocate() }

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
