#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A ring of blocks of composite signal that comb filters and the vertical chroma delay read.
///
/// Without these stages it holds no memory, since each block is demodulated as soon as it is complete.
@safe struct CompositeWindow: ~Copyable {
    private let width: Int
    private var storage: UnsafeMutablePointer<Lanes>?
    private var capacity = 0
    /// Number of blocks in the window.
    private var blockCount = 0
    /// Number of the block after the last one in the window.
    private(set) var end = 0

    init(width: Int) {
        self.width = width
        unsafe storage = nil
    }

    deinit { unsafe free(storage) }

    /// Begins a band; the first block that is appended is `begin`.
    mutating func begin(at begin: Int) { end = begin }

    /// Sets the number of blocks in the window; returns false if memory is refused.
    mutating func reserve(_ blockCount: Int) -> Bool {
        self.blockCount = blockCount
        guard blockCount > capacity else { return true }
        unsafe free(storage)
        unsafe storage = allocateLanes(width * blockCount)?.baseAddress
        capacity = unsafe storage == nil ? 0 : blockCount
        return capacity > 0
    }

    /// Stores rows as the next block; they replace the oldest block.
    mutating func append(_ rows: borrowing Plane) {
        let rows = rows.readOnlyColumns
        defer { end += 1 }
        guard rows.count == width, blockCount > 0, let storage = unsafe storage else { return }
        let place = unsafe storage + ((end % blockCount) * width)
        unsafe rows.withUnsafeBufferPointer { rows in
            unsafe place.update(from: rows.baseAddress!, count: width)
        }
    }

    /// The rows of block `index`, which must be in the window.
    @_lifetime(borrow self)
    private func block(_ index: Int) -> Span<Lanes> {
        let part = unsafe UnsafeBufferPointer(
            start: storage.map { unsafe $0 + (index % blockCount) * width }, count: width)
        return unsafe _overrideLifetime(Span(_unsafeElements: part), borrowing: self)
    }

    /// Copies the rows of a block from `firstRow` on, which need not be the first row of a block.
    ///
    /// Row -1 is a copy of row 1, and the row after the last is a copy of the last but one. Rows further outside, or no
    /// longer in the window, are copies of the nearest row in the window.
    func copyRows(from firstRow: Int, rowCount: Int, to plane: inout Plane) {
        var columns = plane.columns
        guard columns.count == width, rowCount > 0, blockCount > 0, end > 0 else { return }
        if firstRow >= 0 && firstRow + rowsPerBlock <= rowCount {
            return copyRows(from: firstRow, to: &columns)
        }
        let held = (max(0, end - blockCount) * rowsPerBlock)..<min(end * rowsPerBlock, rowCount)
        for lane in 0..<rowsPerBlock {
            let row = min(max(mirrored(firstRow + lane, rowCount), held.lowerBound), held.upperBound - 1)
            let source = block(row / rowsPerBlock)
            let sourceLane = row % rowsPerBlock
            for x in columns.indices { columns[x][lane] = source[x][sourceLane] }
        }
    }

    /// Copies rows that are inside the field: the end of one block and the beginning of the next.
    private func copyRows(from firstRow: Int, to columns: inout MutableSpan<Lanes>) {
        let first = firstRow / rowsPerBlock
        let upper = block(first)
        let lower = block(min(first + 1, end - 1))
        switch firstRow % rowsPerBlock {
        case 1: copy(1, upper, lower, &columns)
        case 2: copy(2, upper, lower, &columns)
        case 3: copy(3, upper, lower, &columns)
        case 4: copy(4, upper, lower, &columns)
        case 5: copy(5, upper, lower, &columns)
        case 6: copy(6, upper, lower, &columns)
        case 7: copy(7, upper, lower, &columns)
        case 8: copy(8, upper, lower, &columns)
        case 9: copy(9, upper, lower, &columns)
        case 10: copy(10, upper, lower, &columns)
        case 11: copy(11, upper, lower, &columns)
        case 12: copy(12, upper, lower, &columns)
        case 13: copy(13, upper, lower, &columns)
        case 14: copy(14, upper, lower, &columns)
        case 15: copy(15, upper, lower, &columns)
        default: for x in columns.indices { columns[x] = upper[x] }
        }
    }

    @inline(__always)
    private func copy(
        _ skipped: Int, _ upper: Span<Lanes>, _ lower: Span<Lanes>, _ columns: inout MutableSpan<Lanes>
    ) {
        guard skipped < rowsPerBlock else { return }
        for x in columns.indices {
            let (a, b) = (upper[x], lower[x])
            columns[x] = Lanes { lane in
                lane + skipped < rowsPerBlock ? a[lane + skipped] : b[lane + skipped - rowsPerBlock]
            }
        }
    }

    private func mirrored(_ row: Int, _ rowCount: Int) -> Int {
        row == -1 ? min(1, rowCount - 1) : row == rowCount ? max(0, rowCount - 2) : row
    }
}
