/// Gradient noise along rows whose positions within the lattice cells repeat after a few columns.
///
/// A sample is the sum of three slopes times three weights, and the weights repeat with the positions. So a sample
/// costs three products and a cell costs one slope. The frequencies of all presets are periodic in this sense.
///
/// All rows advance through the cells at the same rate. At any column, each row is either in the cell of
/// the row that is furthest behind or in the next one: it lies between the first two of three lattice points or the
/// last two.
struct PeriodicNoise: Sendable {
    /// Columns and cells in one period.
    private let columnCount: Int
    private let cellCount: Int
    private let frequency: Float

    private static let longestPeriod = 96

    /// The factors of the slopes at three lattice points, for one column.
    private struct Weights {
        var first = Lanes(0)
        var second = Lanes(0)
        var third = Lanes(0)
    }

    /// Returns nil if positions do not repeat, or if samples skip cells; `frequency` is in cells per column.
    init?(frequency: Float, width: Int) {
        self.frequency = frequency
        for columns in 1...Self.longestPeriod {
            let cells = (Double(frequency) * Double(columns)).rounded()
            let drift = abs(Double(frequency) * Double(columns) - cells) / Double(columns) * Double(width)
            // The rounding of the reference's coordinates is coarser than this limit, in cells.
            guard cells >= 1, cells <= Double(columns), drift < 1e-4 else { continue }
            (columnCount, cellCount) = (columns, Int(cells))
            return
        }
        return nil
    }

    /// Adds `amount` times the noise of rows that begin at the coordinates `start`.
    func add(to plane: inout Plane, seed: LaneBits, start: Lanes, amount: Lanes) {
        let place = start * Lanes(frequency)
        let firstCell = floor(place)
        var storage = InlineArray<96, Weights>(repeating: Weights())
        var filled = storage.mutableSpan
        fill(&filled, place - firstCell, amount)
        let weights = storage.span
        var index = wholeBits(firstCell) &+ LaneBits(repeating: 2)
        var first = latticeSlope(index &- LaneBits(repeating: 2), seed)
        var second = latticeSlope(index &- LaneBits(repeating: 1), seed)
        var third = latticeSlope(index, seed)
        var columns = plane.columns
        // A cell has `columnsPerCell` columns; `columnsLeft` of `cellCount` cells have one more.
        let (columnsPerCell, columnsLeft) = columnCount.quotientAndRemainder(dividingBy: cellCount)
        var x = 0
        while x < columns.count {
            var weight = 0
            var left = cellCount &- 1
            for _ in 0..<cellCount {
                left &+= columnsLeft
                let isLonger = left >= cellCount
                if isLonger { left &-= cellCount }
                let end = min(columns.count, x &+ columnsPerCell &+ (isLonger ? 1 : 0))
                while x < end {
                    let part = weights[weight]
                    columns[x] += fma(first, part.first, fma(second, part.second, third * part.third))
                    weight &+= 1
                    x &+= 1
                }
                index = index &+ LaneBits(repeating: 1)
                (first, second, third) = (second, third, latticeSlope(index, seed))
            }
        }
    }

    /// Fills in the weights for each column of a period; `offset` is the position of each row in its first cell.
    private func fill(_ weights: inout MutableSpan<Weights>, _ offset: Lanes, _ amount: Lanes) {
        for column in 0..<columnCount {
            let inPeriod = Lanes(Float((column * cellCount) % columnCount) / Float(columnCount))
            let along = offset + inPeriod
            let isInNext = along .>= Lanes(1)
            let u = along.replacing(with: along - Lanes(1), where: isInNext)
            let parts = slopeParts(at: u)
            let (left, right) = (parts.left * amount, parts.right * amount)
            weights[column] = Weights(
                first: left.replacing(with: Lanes(0), where: isInNext),
                second: right.replacing(with: left, where: isInNext),
                third: Lanes(0).replacing(with: right, where: isInNext))
        }
    }
}
