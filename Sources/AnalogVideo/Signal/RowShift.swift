/// A shift of a row by a fractional number of samples; positive is to the right.
///
/// `out(x) = in(x - whole) * (1 - fraction) + in(x - whole - 1) * fraction`; see docs/NTSC.md, "Row shift".
struct RowShift: Sendable {
    let whole: Int
    let fraction: Float

    init(_ shift: Float) {
        let truncated = shift.rounded(.towardZero)
        // A larger shift moves every sample out of the row at any width of the picture. NaN counts as no shift.
        let limit: Float = 16_777_216
        let bounded = Int(wholeNumber(min(max(truncated, -limit), limit)))
        guard shift < 0 else {
            whole = bounded
            fraction = shift.isFinite ? shift - truncated : 0
            return
        }
        whole = bounded - 1
        fraction = shift.isFinite ? 1 - (truncated - shift) : 0
    }

    /// The shift, or with `isInPeriods` the nearest whole number of periods of the carrier, which keeps its phase.
    init(_ shift: Float, isInPeriods: Bool) {
        self.init(isInPeriods ? (shift * 0.25).rounded(.toNearestOrAwayFromZero) * 4 : shift)
    }

    /// Shifts one row in place, from column `start` on; samples from outside the row are 0.
    ///
    /// The loop runs against the direction of the shift, so that it reads samples before it overwrites them.
    func apply(to plane: inout Plane, lane: Int, from start: Int = 0) {
        let row = plane.row(lane)
        let width = row.count
        let (nearPart, farPart) = (1 - fraction, fraction)
        guard start >= 0, start < width else { return }
        // The far sample of a column is the near sample of the column to its left.
        if whole >= 0 {
            var near = whole < width ? row[width - 1 - whole] : 0
            var x = width - 1
            // The samples that this loop reads are inside the row; those of the next loop are not. Checks would be half
            // of the instructions.
            let end = max(whole, start - 1)
            while x > end {
                let far = unsafe row[unchecked: x &- whole &- 1]
                unsafe row[unchecked: x] = near * nearPart + far * farPart
                near = far
                x &-= 1
            }
            while x >= start {
                row[x] = near * nearPart + 0 * farPart
                near = 0
                x -= 1
            }
        } else {
            var far = start - whole - 1 < width ? row[start - whole - 1] : 0
            var x = start
            let end = width + whole
            while x < end {
                let near = unsafe row[unchecked: x &- whole]
                unsafe row[unchecked: x] = near * nearPart + far * farPart
                far = near
                x &+= 1
            }
            while x < width {
                row[x] = 0 * nearPart + far * farPart
                far = 0
                x += 1
            }
        }
    }

    /// Shifts all rows of a block by the same amount; samples from outside the row are 0.
    func apply(to plane: inout Plane) {
        var columns = plane.columns
        let width = columns.count
        let nearPart = Lanes(1 - fraction)
        let farPart = Lanes(fraction)
        // The far sample of a column is the near sample of the column to its left.
        if whole >= 0 {
            var near = whole < width ? columns[width - 1 - whole] : Lanes(0)
            for step in 0..<width {
                let x = (width - 1) - step
                let far = x > whole ? columns[x - whole - 1] : Lanes(0)
                columns[x] = near * nearPart + far * farPart
                near = far
            }
        } else {
            var far = -whole <= width ? columns[-whole - 1] : Lanes(0)
            for x in 0..<width {
                let near = x < width + whole ? columns[x - whole] : Lanes(0)
                columns[x] = near * nearPart + far * farPart
                far = near
            }
        }
    }
}
