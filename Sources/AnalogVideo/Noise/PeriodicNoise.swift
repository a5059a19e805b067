/// Gradient noise along rows; the positions of the columns within the lattice cells repeat after a few columns.
///
/// A sample is the sum of three slopes times three weights, and the weights repeat with the positions. A sample
/// therefore costs three products, and a cell costs one slope. The frequencies of all presets are periodic in this
/// sense.
///
/// All rows advance through the cells at the same rate. At any column, a row has entered at most one cell more than
/// the row that is furthest behind. Three lattice points are therefore sufficient for all rows.
struct PeriodicNoise: Sendable {
    /// Number of columns and of cells in one period.
    private let columnCount: Int
    private let cellCount: Int
    private let frequency: Float

    private static let longestPeriod = 96

    /// Number of columns of memory for the weights of one octave.
    static let weightCount = 3 * longestPeriod

    /// Returns nil if positions do not repeat, or if samples skip cells; `frequency` is in cells per column.
    init?(frequency: Float, width: Int) {
        self.frequency = frequency
        for columns in 1...Self.longestPeriod {
            let cells = (Double(frequency) * Double(columns)).rounded()
            let drift = abs(Double(frequency) * Double(columns) - cells) / Double(columns) * Double(width)
            // The limit of the drift, in cells, is smaller than the rounding of the coordinates in the reference.
            guard cells >= 1, cells <= Double(columns), drift < 1e-4 else { continue }
            (columnCount, cellCount) = (columns, Int(cells))
            return
        }
        return nil
    }

    /// Adds `amount` times the noise of rows that begin at the coordinates `start`; `memory` is for the weights.
    func add(to plane: inout Plane, seed: LaneBits, start: Lanes, amount: Lanes, memory: inout Plane) {
        #if arch(arm64)
            if let noise = swept(seed: seed, start: start, amount: amount) { return noise.add(to: &plane) }
        #endif
        fillWeights(&memory, at: 0, start, amount)
        let count = plane.readOnlyColumns.count
        let (columns, weights) = unsafe (plane.start, memory.start)
        var slopes = CellSlopes(start, frequency, seed)
        var cells = CellColumns(columnCount: columnCount, cellCount: cellCount)
        var x = 0
        while x < count {
            let end = min(count, cells.end)
            var weight = cells.weight(of: x)
            while x < end {
                unsafe columns[x] += slopes.noise(weights + weight)
                weight &+= 3
                x &+= 1
            }
            cells.advance()
            slopes.advance()
        }
    }

    /// Noise with two columns per cell, for one loop; nil if a cell does not have two columns.
    @inline(__always)
    func swept(seed: LaneBits, start: Lanes, amount: Lanes) -> TwoColumnNoise? {
        guard hasTwoColumnsPerCell else { return nil }
        return TwoColumnNoise(
            CellSlopes(start, frequency, seed), even: weights(0, start, amount),
            odd: weights(cellCount % columnCount, start, amount))
    }

    var hasTwoColumnsPerCell: Bool { columnCount == 2 && cellCount == 1 }

    /// Adds this octave and then a finer one in one loop, so that samples are read and written once.
    func add(
        with finer: PeriodicNoise, to plane: inout Plane, seed: LaneBits, start: Lanes, amount: Lanes,
        memory: inout Plane
    ) {
        fillWeights(&memory, at: 0, start, amount)
        finer.fillWeights(&memory, at: Self.weightCount, start, amount)
        let count = plane.readOnlyColumns.count
        let (columns, weights) = unsafe (plane.start, memory.start)
        let finerWeights = unsafe weights + Self.weightCount
        var (slopes, finerSlopes) = (CellSlopes(start, frequency, seed), CellSlopes(start, finer.frequency, seed))
        var x = 0
        if cellCount == 1 && finer.cellCount == 1 && columnCount == 2 * finer.columnCount {
            // The default: a cell has two cells of the finer octave, and begins with the first of them.
            while x < count {
                for half in 0..<2 {
                    let end = min(x &+ finer.columnCount, count)
                    let place = unsafe weights + 3 &* half &* finer.columnCount
                    unsafe Self.add(slopes, place, finerSlopes, finerWeights, to: columns + x, end &- x)
                    finerSlopes.advance()
                    x = end
                }
                slopes.advance()
            }
            return
        }
        var cells = CellColumns(columnCount: columnCount, cellCount: cellCount)
        var finerCells = CellColumns(columnCount: finer.columnCount, cellCount: finer.cellCount)
        while x < count {
            let end = min(count, cells.end, finerCells.end)
            let places = unsafe (weights + cells.weight(of: x), finerWeights + finerCells.weight(of: x))
            unsafe Self.add(slopes, places.0, finerSlopes, places.1, to: columns + x, end &- x)
            x = end
            if cells.end == x {
                cells.advance()
                slopes.advance()
            }
            if finerCells.end == x {
                finerCells.advance()
                finerSlopes.advance()
            }
        }
    }

    /// Adds the noise of two octaves to `count` columns that are in one cell of each octave.
    ///
    /// The other addresses are those of the weights of the first column.
    @inline(__always)
    @unsafe private static func add(
        _ slopes: CellSlopes, _ weights: UnsafeMutablePointer<Lanes>, _ finerSlopes: CellSlopes,
        _ finerWeights: UnsafeMutablePointer<Lanes>, to columns: UnsafeMutablePointer<Lanes>, _ count: Int
    ) {
        unsafe Columns.replace(columns, count) { column, x in
            let place = 3 &* x
            return unsafe (column + slopes.noise(weights + place)) + finerSlopes.noise(finerWeights + place)
        }
    }

    private func fillWeights(_ memory: inout Plane, at first: Int, _ start: Lanes, _ amount: Lanes) {
        guard memory.readOnlyColumns.count >= first + 3 * columnCount else { return }
        var place = unsafe memory.start + first
        var position = 0
        for _ in 0..<columnCount {
            let weights = weights(position, start, amount)
            unsafe (place[0], place[1], place[2]) = (weights.first, weights.second, weights.third)
            unsafe place += 3
            position &+= cellCount
            if position >= columnCount { position &-= columnCount }
        }
    }

    /// Weights of a column that is `position / columnCount` cells, and any number of whole cells, after the first one.
    @inline(__always)
    private func weights(_ position: Int, _ start: Lanes, _ amount: Lanes) -> CellSlopes.Weights {
        let place = start * Lanes(frequency)
        let inPeriod = Lanes(Float(position) / Float(columnCount))
        let along = (place - floor(place)) + inPeriod
        let isInNext = along .>= Lanes(1)
        let u = along.replacing(with: along - Lanes(1), where: isInNext)
        let parts = slopeParts(at: u)
        let (left, right) = (parts.left * amount, parts.right * amount)
        return CellSlopes.Weights(
            first: left.replacing(with: Lanes(0), where: isInNext),
            second: right.replacing(with: left, where: isInNext),
            third: Lanes(0).replacing(with: right, where: isInNext))
    }
}

/// Advances from cell to cell, and computes the columns of the current cell.
struct CellColumns {
    private let columnCount, cellCount, columnsPerCell, columnsLeft: Int
    /// First column of the period.
    private var periodStart = 0
    private var cell = 0
    private var left: Int
    /// Column after the last column of the current cell.
    private(set) var end = 0

    init(columnCount: Int, cellCount: Int) {
        (self.columnCount, self.cellCount) = (columnCount, cellCount)
        // A cell has `columnsPerCell` columns; `columnsLeft` of `cellCount` cells have one more.
        (columnsPerCell, columnsLeft) = columnCount.quotientAndRemainder(dividingBy: cellCount)
        left = cellCount - 1
        extend()
    }

    /// Index of the first of the three weights of column `x`.
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
