#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The latest blocks of composite signal, which comb filters and the vertical chroma delay read.
///
/// The rows of a column are contiguous, so reading a block from any row on takes one load per column. Without these
/// stages, each block is demodulated at once, and the window has no memory.
@safe struct CompositeWindow: ~Copyable {
    private let width: Int
    private var storage: UnsafeMutablePointer<Lanes>?
    /// Distance of the rows that a comb filter reads, in rows.
    private var combDistance = 1
    /// Number of blocks for which there is memory.
    private var capacity = 0
    /// Number of blocks in the window, and number of blocks that a column has space for.
    private var (blockCount, space) = (0, 0)
    /// Position of the first block of the window in a column.
    private var first = 0
    /// Number of the block after the last block in the window.
    private(set) var end = 0

    /// Largest number of blocks of a window without additional space.
    ///
    /// A larger window has space for half as many blocks more, so that few appends move its blocks.
    private static let small = 4

    init(width: Int) {
        self.width = width
        unsafe storage = nil
    }

    deinit { unsafe free(storage) }

    /// Begins a band; the first block to append is `begin`.
    mutating func begin(at begin: Int) { (end, first) = (begin, 0) }

    /// Sets the number of blocks in the window, and the distance of the rows that a comb filter reads.
    ///
    /// Returns false if memory is refused.
    mutating func reserve(_ blockCount: Int, combDistance: Int = 1) -> Bool {
        self.blockCount = blockCount
        self.combDistance = combDistance
        space = blockCount > Self.small ? blockCount + blockCount / 2 : blockCount
        first = 0
        guard space > capacity else { return true }
        unsafe free(storage)
        let (size, overflow) = width.multipliedReportingOverflow(by: space)
        let memory = unsafe overflow ? nil : allocateLanes(size)
        unsafe memory?.initialize(repeating: Lanes(0))
        unsafe storage = memory?.baseAddress
        capacity = unsafe storage == nil ? 0 : space
        return capacity > 0
    }

    /// Stores rows as the next block of a field of `rowCount` rows.
    mutating func append(_ rows: borrowing Plane, rowCount: Int) {
        let rows = rows.readOnlyColumns
        guard rows.count == width, let places = slide(), let storage = unsafe storage else { return }
        if places > 0 {
            for x in 0..<width {
                let column = unsafe storage + (x &* space)
                unsafe move(column, by: places)
                unsafe column[blockCount &- 1] = rows[x]
            }
        } else {
            let last = unsafe storage + (first + blockCount - 1)
            for x in 0..<width { unsafe last[x &* space] = rows[x] }
        }
        repeatRows(rowCount)
    }

    /// Stores a block below the last row of the field; only the rows directly after the last row have values.
    mutating func appendNothing(rowCount: Int) {
        guard let places = slide(), let storage = unsafe storage else { return }
        if places > 0 { for x in 0..<width { unsafe move(storage + (x &* space), by: places) } }
        repeatRows(rowCount)
    }

    /// Moves the window by a block; returns by how many places the blocks of a column must move, or nil without memory.
    private mutating func slide() -> Int? {
        end += 1
        guard blockCount > 0, unsafe storage != nil else { return nil }
        first += 1
        guard first + blockCount > space else { return 0 }
        defer { first = 0 }
        return first
    }

    /// Moves all blocks of a column, except for the new one, to its beginning.
    @inline(__always)
    @unsafe private func move(_ column: UnsafeMutablePointer<Lanes>, by places: Int) {
        for block in 0..<(blockCount &- 1) { unsafe column[block] = column[places &+ block] }
    }

    /// Replaces the rows that a comb filter would read outside of the field, when their places enter the window.
    ///
    /// A missing row above a row is replaced by the row below it at the same distance, and the reverse.
    private func repeatRows(_ rowCount: Int) {
        guard rowCount >= 2 * combDistance else { return }
        for row in 0..<combDistance where end == 1 { copy(row: row + combDistance, to: row - combDistance) }
        for place in rowCount..<(rowCount + combDistance) where place / rowsPerBlock == end - 1 {
            copy(row: place - 2 * combDistance, to: place)
        }
    }

    private func copy(row: Int, to copy: Int) {
        let top = (end - blockCount) * rowsPerBlock
        guard min(row, copy) >= top, let storage = unsafe storage else { return }
        let size = MemoryLayout<Float>.stride
        for x in 0..<width {
            let column = unsafe UnsafeMutableRawPointer(storage + (x &* space &+ first))
            let sample = unsafe column.load(fromByteOffset: (row - top) * size, as: Float.self)
            unsafe column.storeBytes(of: sample, toByteOffset: (copy - top) * size, as: Float.self)
        }
    }

    /// Rows from `firstRow` on, which need not be the first row of a block; nil without memory.
    ///
    /// The caller also reads the rows that `neighbours` names. Rows that are not in the window are replaced by others;
    /// the caller requests such rows only outside of the field.
    func rows(from firstRow: Int, _ neighbours: Demodulation.Neighbours) -> CompositeRows? {
        let top = (end - blockCount) * rowsPerBlock
        let highest = top + (neighbours == .none ? 0 : combDistance)
        let lowest = (end - 1) * rowsPerBlock - (neighbours == .both ? combDistance : 0)
        guard highest <= lowest, let storage = unsafe storage else { return nil }
        let row = min(max(firstRow, highest), lowest)
        let start = unsafe UnsafeRawPointer(storage + first) + (row - top) * MemoryLayout<Float>.stride
        return unsafe CompositeRows(
            start: start, stride: space * MemoryLayout<Lanes>.stride, combDistance: combDistance, count: width)
    }
}
