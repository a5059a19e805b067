/// Gradient noise along rows that take their lattice cells one after the other, at any pace below a cell a column.
///
/// The slopes are worked out once per cell, as in `PeriodicNoise`; here what they are multiplied by is not.
struct LatticeWalk: Sendable {
    /// Cells per column.
    private let frequency: Float

    /// Nil where a column may lie a whole cell after the one before.
    init?(frequency: Float) {
        // So slow a pace would take a long time to leave its first cell, and no picture is that wide.
        guard frequency > 1e-6, frequency < 0.95 else { return nil }
        self.frequency = frequency
    }

    /// Adds the noise times `amount`, of rows that begin at the coordinates `start`.
    func add(to plane: inout Plane, seed: LaneBits, start: Lanes, amount: Lanes) {
        var columns = plane.columns
        var coordinates = ColumnCoordinates(start)
        let frequency = Lanes(frequency)
        // The cell of the slowest row; the others are in it, or in the next.
        var cell = floor(start * frequency)
        var index = wholeBits(cell) &+ LaneBits(repeating: 2)
        var first = latticeSlope(index &- LaneBits(repeating: 2), seed)
        var second = latticeSlope(index &- LaneBits(repeating: 1), seed)
        var third = latticeSlope(index, seed)
        var x = 0
        var cellsPassed = 1.0
        while x < columns.count {
            // The slowest row comes to its next cell here. A row that rounding holds back, or sends ahead, is so near to
            // a lattice point that its slopes do not show.
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
