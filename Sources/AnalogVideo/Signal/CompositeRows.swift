extension CompositeField {
    /// Copies eight rows that begin at any row; rows beyond an edge are those as far inside it.
    func copyRows(from firstRow: Int, rowCount: Int, to plane: inout Plane) {
        var columns = plane.columns
        guard columns.count == width, rowCount > 0 else { return }
        for lane in 0..<rowsPerBlock {
            let row = mirrored(firstRow + lane, rowCount)
            let source = block(row / rowsPerBlock)
            let sourceLane = row % rowsPerBlock
            for x in columns.indices { columns[x][lane] = source[x][sourceLane] }
        }
    }

    /// Row -1 becomes 1 and the row past the last becomes the last but one; what lies further out is held inside.
    private func mirrored(_ row: Int, _ rowCount: Int) -> Int {
        let folded = row < 0 ? -row : row >= rowCount ? 2 * (rowCount - 1) - row : row
        return min(max(folded, 0), rowCount - 1)
    }
}
