/// Gradient noise along rows whose samples, every few columns, come to lie at the same places of their lattice cells.
///
/// Then a sample's noise is three weights times the slopes at three lattice points, and the weights repeat: nothing is
/// worked out per sample but those products, and per cell one slope. The frequencies of all presets are such.
///
/// All rows walk through the cells at the same pace. So of eight rows that begin anywhere, each is at any column either
/// in the cell of the slowest, or in the one after it: between the first two of three lattice points or the last two.
struct PeriodicNoise: Sendable {
    /// A period has that many columns, and that many cells.
    private let columnCount: Int
    private let cellCount: Int
    private let frequency: Float

    private static let longestPeriod = 96

    /// What the slopes at three lattice points are multiplied by in one column.
    private struct Weights {
        var first = Lanes(0)
        var second = Lanes(0)
        var third = Lanes(0)
    }

    /// Nil where samples never come to lie at the same places, or leap over cells; `frequency` in cells per column.
    init?(frequency: Float, width: Int) {
        self.frequency = frequency
        for columns in 1...Self.longestPeriod {
            let cells = (Double(frequency) * Double(columns)).rounded()
            let drift = abs(Double(frequency) * Double(columns) - cells) / Double(columns) * Double(width)
            // The reference's own coordinates are rounded more coarsely than that.
            guard cells >= 1, cells <= Double(columns), drift < 1e-4 else { continue }
            (columnCount, cellCount) = (columns, Int(cells))
            return
        }
        return nil
    }

    /// Adds the noise times `amount`, of rows that begin at the coordinates `start`.
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
        // A cell has so many columns, and now and then one more.
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

    /// The weights of the three lattice points in each column of a period, for rows that begin `offset` into their cell.
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
