/// The columns of successive cells, in periods of whole columns and cells.
struct CellColumns {
    private let columnCount, cellCount, columnsPerCell, columnsLeft: Int
    /// The first column of the period.
    private var periodStart = 0
    private var cell = 0
    private var left: Int
    /// The column after the cell.
    private(set) var end = 0

    init(columnCount: Int, cellCount: Int) {
        (self.columnCount, self.cellCount) = (columnCount, cellCount)
        // A cell has `columnsPerCell` columns; `columnsLeft` of `cellCount` cells have one more.
        (columnsPerCell, columnsLeft) = columnCount.quotientAndRemainder(dividingBy: cellCount)
        left = cellCount - 1
        extend()
    }

    /// The first weight of a column in the cell; three weights per column.
    @inline(__always)
    func weight(of x: Int) -> Int { 3 &* (x &- periodStart) }

    @inline(__always)
    mutating func advance() {
        cell &+= 1
        if cell == cellCount {
            (cell, left) = (0, cellCount &- 1)
            periodStart &+= columnCount
        }
        extend()
    }

    @inline(__always)
    private mutating func extend() {
        left &+= columnsLeft
        end &+= columnsPerCell
        guard left >= cellCount else { return }
        left &-= cellCount
        end &+= 1
    }
}
