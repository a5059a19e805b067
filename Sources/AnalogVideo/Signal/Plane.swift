#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A block of rows of one component of the signal, column by column.
@safe struct Plane: ~Copyable {
    private let storage: UnsafeMutableBufferPointer<Lanes>

    init?(width: Int) {
        guard let storage = unsafe allocateLanes(width) else { return nil }
        unsafe storage.initialize(repeating: Lanes(0))
        unsafe self.storage = unsafe storage
    }

    deinit { unsafe free(storage.baseAddress) }

    /// First column of the rows; 0 if the width is 0.
    var firstColumn: Lanes { unsafe storage.isEmpty ? Lanes(0) : storage[0] }

    /// Address of the first column, for loops that are slower with the checks or the calls of a span.
    ///
    /// The address is valid while the plane exists; the caller checks the number of columns.
    @unsafe var start: UnsafeMutablePointer<Lanes> {
        // An empty buffer has memory too; see `allocateLanes`.
        unsafe storage.baseAddress!
    }

    var columns: MutableSpan<Lanes> {
        @_lifetime(&self)
        mutating get { unsafe _overrideLifetime(storage.mutableSpan, mutating: &self) }
    }

    var readOnlyColumns: Span<Lanes> {
        @_lifetime(borrow self)
        get { unsafe _overrideLifetime(Span(_unsafeElements: UnsafeBufferPointer(storage)), borrowing: self) }
    }
}

/// The samples of one row of a plane.
///
/// Access to a column by a lane number that is not constant would move the whole column through the stack.
@safe struct PlaneRow: ~Copyable, ~Escapable {
    private let start: UnsafeMutableRawPointer
    let count: Int

    /// The row `lane`, less than `rowsPerBlock`, of the `count` columns from `columns` on.
    @inline(__always)
    @_lifetime(immortal)
    @unsafe fileprivate init(_ columns: UnsafeMutablePointer<Lanes>, count: Int, lane: Int) {
        unsafe start = UnsafeMutableRawPointer(columns) + lane &* MemoryLayout<Float>.stride
        self.count = count
    }

    @inline(__always)
    subscript(x: Int) -> Float {
        get {
            precondition(x >= 0 && x < count, "The row has no such sample.")
            return unsafe self[unchecked: x]
        }
        nonmutating set {
            precondition(x >= 0 && x < count, "The row has no such sample.")
            unsafe self[unchecked: x] = newValue
        }
    }

    /// The sample in column `x`, which must be in the row.
    @inline(__always)
    @unsafe subscript(unchecked x: Int) -> Float {
        get { unsafe start.load(fromByteOffset: x &* MemoryLayout<Lanes>.stride, as: Float.self) }
        nonmutating set {
            unsafe start.storeBytes(of: newValue, toByteOffset: x &* MemoryLayout<Lanes>.stride, as: Float.self)
        }
    }
}

extension Plane {
    /// One row; `lane` is at most `rowsPerBlock - 1`.
    @inline(__always)
    @_lifetime(&self)
    mutating func row(_ lane: Int) -> PlaneRow {
        precondition(lane >= 0 && lane < rowsPerBlock, "A block has no such row.")
        return unsafe _overrideLifetime(PlaneRow(start, count: readOnlyColumns.count, lane: lane), mutating: &self)
    }

    /// Sets the samples of a row to 0; `lane` is at most `rowsPerBlock - 1`.
    mutating func clear(_ lane: Int) {
        let row = row(lane)
        for x in 0..<row.count { row[x] = 0 }
    }

    /// Samples column by column; a column has `rowsPerBlock` samples.
    var samples: Span<Float> {
        @_lifetime(borrow self)
        get { unsafe _overrideLifetime(Span(_bytes: readOnlyColumns.bytes), borrowing: self) }
    }

    /// Sets the last columns to 0, `count` or as many as there are.
    mutating func clear(last count: Int) {
        var columns = columns
        for x in max(0, columns.count - count)..<columns.count { columns[x] = Lanes(0) }
    }

    /// Copies the columns of another plane, as many as both planes have.
    mutating func copy(from other: borrowing Plane) {
        let count = min(readOnlyColumns.count, other.readOnlyColumns.count)
        unsafe start.update(from: other.start, count: count)
    }
}

/// Allocates memory for `count` columns; returns nil if it is refused.
///
/// Swift's allocation traps if memory is refused. The size depends on caps, so this allocation must not trap.
@unsafe func allocateLanes(_ count: Int) -> UnsafeMutableBufferPointer<Lanes>? {
    let size = max(count, 1).multipliedReportingOverflow(by: MemoryLayout<Lanes>.stride)
    guard !size.overflow, let memory = unsafe aligned_alloc(64, (size.partialValue + 63) & ~63) else { return nil }
    return unsafe UnsafeMutableBufferPointer(start: memory.bindMemory(to: Lanes.self, capacity: count), count: count)
}
