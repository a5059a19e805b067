/// Gradient noise along rows, for any frequency below one lattice cell per column.
///
/// The slopes are computed once per cell, as in `PeriodicNoise`; their factors are computed for each sample.
struct LatticeWalk: Sendable {
    /// Cells per column.
    private let frequency: Float

    /// Returns nil if neighbouring columns can be a cell or more apart, or if the frequency is nearly 0.
    init?(frequency: Float) {
        // The lower limit bounds the column at which the next cell begins; no picture has 10⁶ columns.
        guard frequency > 1e-6, frequency < 0.95 else { return nil }
        self.frequency = frequency
    }

    /// Adds `amount` times the noise of rows that begin at the coordinates `start`.
    func add(to plane: inout Plane, seed: LaneBits, start: Lanes, amount: Lanes) {
        var columns = plane.columns
        var coordinates = ColumnCoordinates(start)
        let frequency = Lanes(frequency)
        // The cell of the row that is furthest behind; other rows are in this cell or in the next one.
        var cell = floor(start * frequency)
        var index = wholeBits(cell) &+ LaneBits(repeating: 2)
        var first = latticeSlope(index &- LaneBits(repeating: 2), seed)
        var second = latticeSlope(index &- LaneBits(repeating: 1), seed)
        var third = latticeSlope(index, seed)
        var x = 0
        var cellsPassed = 1.0
        while x < columns.count {
            // At `end` the last row enters its next cell. Rounding can move that by a column; such a sample is so near
            // to a lattice point that its slopes contribute almost nothing.
            let end = min(columns.count, Int((cellsPassed / Double(self.frequency)).rounded(.up)))
            while x < end {
                let place = coordinates.next(x) * frequency
                let placeCell = floor(place)
                let isInNext = placeCell .> cell
                let parts = slopeParts(at: place - placeCell)
                let left = first.replacing(with: second, where: isInNext)
                let right = second.replacing(with: third, where: isInNext)
                columns[x] += fma(parts.left, left, parts.right * right) * amount
                x &+= 1
            }
            cellsPassed += 1
            cell += Lanes(1)
            index = index &+ LaneBits(repeating: 1)
            (first, second, third) = (second, third, latticeSlope(index, seed))
        }
    }
}
