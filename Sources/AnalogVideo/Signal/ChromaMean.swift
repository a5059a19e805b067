import AnalogVideoModel

/// Weights of the rows whose mean is stored as one row of vertically subsampled chroma.
///
/// A lane is the upper row of a pair. The lower row can be missing. If chroma is cosited with the upper row, the mean
/// includes the row above the pair.
struct ChromaMean {
    private var ownPart = Lanes(1)
    private var nextPart = Lanes(0)
    private var abovePart = Lanes(0)
    /// Whether the means include the row above a pair.
    private let includesAbove: Bool
    /// Rows of the chroma plane that receive the means.
    private(set) var rows = PictureRows()

    /// `lower` has the lower rows of the pairs; nil if they are every second row of `upper`.
    init(_ upper: PictureRows, lower: PictureRows?, _ picture: Picture, _ storage: ChromaStorage) {
        includesAbove = picture.layout.colour.isCositedVertically
        for lane in 0..<rowsPerBlock {
            guard let row = upper[lane] else { continue }
            let parity = row % storage.step
            let rowOfField = row / storage.step
            guard rowOfField & 1 == 0 else { continue }
            let stored = (rowOfField / 2) * storage.step + parity
            guard stored < picture.rowCounts[1] else { continue }
            rows[lane] = stored
            let hasLower = lower.map { $0[lane] != nil } ?? (lane < rowsPerBlock - 1 && upper[lane + 1] != nil)
            if includesAbove {
                (abovePart[lane], ownPart[lane], nextPart[lane]) = (0.25, 0.5, 0.25)
                if rowOfField == 0 { (abovePart[lane], ownPart[lane]) = (0, 0.75) }
            } else {
                nextPart[lane] = Float(storage.site(parity: parity, isCosited: false)) / 4
                ownPart[lane] = 1 - nextPart[lane]
            }
            if !hasLower { (ownPart[lane], nextPart[lane]) = (ownPart[lane] + nextPart[lane], 0) }
        }
    }

    /// Replaces the upper rows by the means; `rowAbove` is the row above the first, and receives the last lower row.
    func apply(to upper: inout Plane, lower: borrowing Plane, rowAbove: inout [Float], count: Int) {
        guard includesAbove else { return mix(&upper, lower, count) }
        var columns = upper.columns
        let lower = lower.readOnlyColumns
        for x in 0..<min(count, columns.count, lower.count, rowAbove.count) {
            columns[x] = mean(columns[x], lower[x], movedDown(lower[x], above: rowAbove[x]))
            rowAbove[x] = lower[x][rowsPerBlock - 1]
        }
    }

    /// Replaces the upper rows by means without the row above.
    private func mix(_ upper: inout Plane, _ lower: borrowing Plane, _ columnCount: Int) {
        let count = min(columnCount, upper.readOnlyColumns.count, lower.readOnlyColumns.count)
        let (own, next) = unsafe (upper.start, lower.start)
        unsafe Columns.replace(own, count) { column, x in unsafe fma(column, ownPart, next[x] * nextPart) }
    }

    /// Replaces the upper rows by the means if upper and lower rows are in one plane.
    func apply(to rows: inout Plane, rowAbove: inout [Float], count: Int) {
        var columns = rows.columns
        for x in 0..<min(count, columns.count, rowAbove.count) {
            let own = columns[x]
            columns[x] = mean(own, movedUp(own), movedDown(own, above: rowAbove[x]))
            rowAbove[x] = own[rowsPerBlock - 1]
        }
    }

    @inline(__always)
    private func mean(_ own: Lanes, _ next: Lanes, _ above: Lanes) -> Lanes {
        fma(own, ownPart, fma(next, nextPart, above * abovePart))
    }
}
