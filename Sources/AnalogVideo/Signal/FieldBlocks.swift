import AnalogVideoModel

extension FieldRun {
    var blockCount: Int { (rowCount + rowsPerBlock - 1) / rowsPerBlock }

    func rows(ofBlock block: Int) -> PictureRows {
        rows(ofBlock: block) { row in row < rowCount ? firstRow + row * rowStep : nil }
    }

    /// Rows that are not in the field; each is directly above the row of the field in the same lane.
    func rowsBetween(ofBlock block: Int) -> PictureRows {
        rows(ofBlock: block) { row in
            let between = firstRow + (row * rowStep) - 1
            return row < rowCount && between >= 0 ? between : nil
        }
    }

    /// Row of the picture below the last row of the field, in the lane of the last row, whose content it repeats.
    func rowBelow(pictureHeight: Int) -> PictureRows {
        var rows = PictureRows()
        let below = firstRow + (rowCount - 1) * rowStep + 1
        if fillsOtherRows, below < pictureHeight { rows[(rowCount - 1) % rowsPerBlock] = below }
        return rows
    }

    private func rows(ofBlock block: Int, _ place: (Int) -> Int?) -> PictureRows {
        var rows = PictureRows()
        for lane in 0..<rowsPerBlock { rows[lane] = place(block * rowsPerBlock + lane) }
        return rows
    }
}
