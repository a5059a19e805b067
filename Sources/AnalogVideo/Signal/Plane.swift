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

extension Plane {
    /// Takes over as many columns of another plane as there is room for.
    mutating func copy(from other: borrowing Plane) {
        var columns = columns
        let source = other.readOnlyColumns
        for x in 0..<min(columns.count, source.count) { columns[x] = source[x] }
    }
}

/// Memory for `count` columns; unlike Swift's own, it can be refused: caps from outside decide how much is asked for.
@unsafe func allocateLanes(_ count: Int) -> UnsafeMutableBufferPointer<Lanes>? {
    let size = max(count, 1).multipliedReportingOverflow(by: MemoryLayout<Lanes>.stride)
    guard !size.overflow, let memory = unsafe aligned_alloc(64, (size.partialValue + 63) & ~63) else { return nil }
    return unsafe UnsafeMutableBufferPointer(start: memory.bindMemory(to: Lanes.self, capacity: count), count: count)
}
