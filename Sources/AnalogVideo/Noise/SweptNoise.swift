/// Noise that a sweep adds to the columns of luma, in order, while they are in registers.
protocol SweptNoise {
    /// Adds noise to a column with an even number.
    mutating func addToEven(_ column: Lanes) -> Lanes
    /// Adds noise to a column with an odd number.
    mutating func addToOdd(_ column: Lanes) -> Lanes
}

extension SweptNoise {
    @inline(__always)
    mutating func add(to column: Lanes, x: Int) -> Lanes { (x & 1) == 0 ? addToEven(column) : addToOdd(column) }
}

/// No noise, for a stage that is off or follows the sweep.
struct NoNoise: SweptNoise {
    @inline(__always)
    func addToEven(_ column: Lanes) -> Lanes { column }

    @inline(__always)
    func addToOdd(_ column: Lanes) -> Lanes { column }
}

/// Noise with two columns per cell, the default of two stages; it has few weights, so a sweep can add it.
struct TwoColumnNoise: SweptNoise {
    private var slopes: CellSlopes
    /// The third weight of even columns is 0, because in these no row is in its next cell.
    private let even, odd: CellSlopes.Weights

    @inline(__always)
    init(_ slopes: CellSlopes, even: CellSlopes.Weights, odd: CellSlopes.Weights) {
        self.slopes = slopes
        self.even = even
        self.odd = odd
    }

    @inline(__always)
    func addToEven(_ column: Lanes) -> Lanes { column + slopes.noise(even.first, even.second) }

    @inline(__always)
    mutating func addToOdd(_ column: Lanes) -> Lanes {
        let sum = column + slopes.noise(odd)
        slopes.advance()
        return sum
    }

    #if arch(arm64)
        /// Adds the noise to all columns.
        func add(to plane: inout Plane) {
            var noise = self
            unsafe Columns.replace(plane.start, plane.readOnlyColumns.count) { noise.add(to: $0, x: $1) }
        }
    #endif
}
