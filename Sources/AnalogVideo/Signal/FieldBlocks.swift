import AnalogVideoModel

/// Where the blocks of a field lie in the picture.
extension FieldRun {
    var blockCount: Int { (rowCount + rowsPerBlock - 1) / rowsPerBlock }

    /// The rows of a block.
    func rows(ofBlock block: Int) -> PictureRows {
        rows(ofBlock: block) { row in row < rowCount ? firstRow + row * rowStep : nil }
    }

    /// The rows between those of the field, each above its own.
    func rowsBetween(ofBlock block: Int) -> PictureRows {
        rows(ofBlock: block) { row in
            let between = firstRow + (row * rowStep) - 1
            return row < rowCount && between >= 0 ? between : nil
        }
    }

    /// The row of the picture below the field's last, which repeats it; in the lane of that last row.
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
