import AnalogVideoModel

/// Input rows of one band, unmodified while the bands write the picture in place.
///
/// Bands run in parallel. Before any band writes, each band therefore copies the rows of other bands that it reads.
/// With vertically subsampled chroma, a band also copies its last rows before it overwrites them.
struct KeptRows: ~Copyable {
    private var memory = GrowingMemory()
    /// A copy of the whole picture, from which all rows are read; nil without one.
    private var source: Picture?
    private var planes = InlineArray<3, KeptPlane>(repeating: KeptPlane())

    /// Ranges of rows of one plane.
    private struct KeptPlane {
        var band = BandRows()
        /// Offset of the copies in `memory`: rows above, rows below, and the two rows that were written last.
        var place = 0
        var rowBytes = 0
        /// End of the written range of own rows, for the even rows and for the odd rows.
        var writtenEnds: InlineArray<2, Int> = [0, 0]

        var rowsKept: Int { band.above.count + band.below.count + 2 }
        func placeAbove(_ row: Int) -> Int { place + (row - band.above.lowerBound) * rowBytes }
        func placeBelow(_ row: Int) -> Int { place + (band.above.count + row - band.below.lowerBound) * rowBytes }
        func placeWritten(_ row: Int) -> Int { place + (band.above.count + band.below.count + (row & 1)) * rowBytes }

        /// Whether a row is the last written even row or the last written odd row.
        func wasWrittenLast(_ row: Int) -> Bool {
            let end = writtenEnds[row & 1]
            return row >= max(band.own.lowerBound, end - 2) && row < end
        }
    }

    /// Begins a picture: copies the rows of other bands that `band` reads; returns false if memory is refused.
    ///
    /// With `source`, a copy of the picture, all rows are read from it.
    mutating func keep(_ band: Band, of picture: Picture, source: Picture?) -> Bool {
        self.source = source
        var size = 0
        for plane in 0..<picture.layout.format.planeCount {
            var kept = KeptPlane()
            kept.band = band.rows[plane]
            kept.rowBytes = picture.rowBytes[plane]
            kept.place = size
            kept.writtenEnds = [kept.band.own.lowerBound, kept.band.own.lowerBound]
            planes[plane] = kept
            size += kept.rowsKept * kept.rowBytes
        }
        guard memory.take(size) else { return false }
        for plane in 0..<picture.layout.format.planeCount {
            let kept = planes[plane]
            for row in kept.band.above { copy(row, of: plane, picture, to: kept.placeAbove(row)) }
            for row in kept.band.below { copy(row, of: plane, picture, to: kept.placeBelow(row)) }
        }
        return true
    }

    /// Copies the last of `rows` with this parity, before the band overwrites rows that it reads again.
    mutating func keepWritten(_ rows: Range<Int>, parity: Int, of plane: Int, _ picture: Picture) {
        let rows = rows.clamped(to: planes[plane].band.own)
        if let last = rows.last(where: { $0 & 1 == parity }) {
            copy(last, of: plane, picture, to: planes[plane].placeWritten(last))
        }
        planes[plane].writtenEnds[parity] = max(planes[plane].writtenEnds[parity], rows.upperBound)
    }

    /// Addresses of the unmodified rows of a block, for reading.
    func starts(of rows: PictureRows, plane: Int = 0, _ picture: Picture) -> RowStarts {
        if let source { return source.starts(of: rows, plane: plane) }
        let kept = planes[plane]
        return unsafe RowStarts(rows) { row in
            guard let memory = unsafe memory.start else { return unsafe picture.start(ofRow: row, plane: plane) }
            if kept.band.above.contains(row) { return unsafe memory + kept.placeAbove(row) }
            if kept.band.below.contains(row) { return unsafe memory + kept.placeBelow(row) }
            // No stage reads a row that was written earlier than the copied rows.
            if plane > 0 && kept.wasWrittenLast(row) { return unsafe memory + kept.placeWritten(row) }
            return unsafe picture.start(ofRow: row, plane: plane)
        }
    }

    private func copy(_ row: Int, of plane: Int, _ picture: Picture, to place: Int) {
        guard let memory = unsafe memory.start else { return }
        unsafe (memory + place).copyMemory(
            from: picture.start(ofRow: row, plane: plane), byteCount: picture.rowBytes[plane])
    }
}
