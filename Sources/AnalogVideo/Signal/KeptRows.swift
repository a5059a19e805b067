import AnalogVideoModel
import Glibc

/// The rows of a picture as one band reads them: its own where they lie, and copies of those that may be written first.
///
/// A picture is played in place, by several bands at once. So before they begin, each keeps the rows it will look at
/// beyond its own; and where chroma is stored for two rows at once, a band keeps the last of the rows it has written.
@safe struct KeptRows: ~Copyable {
    private var memory: UnsafeMutableRawPointer?
    private var capacity = 0
    private var planes = InlineArray<3, KeptPlane>(repeating: KeptPlane())

    /// Rows of one plane, by number.
    private struct KeptPlane {
        var band = BandRows()
        /// Where in `memory` the copies begin: those above, then those below, then the two written last.
        var place = 0
        var rowBytes = 0
        /// Its own even rows above this one have been written, and its odd ones.
        var writtenEnds: InlineArray<2, Int> = [0, 0]

        var rowsKept: Int { band.above.count + band.below.count + 2 }
        func placeAbove(_ row: Int) -> Int { place + (row - band.above.lowerBound) * rowBytes }
        func placeBelow(_ row: Int) -> Int { place + (band.above.count + row - band.below.lowerBound) * rowBytes }
        func placeWritten(_ row: Int) -> Int { place + (band.above.count + band.below.count + (row & 1)) * rowBytes }

        /// Whether a row is the last even one that has been written, or the last odd one.
        func wasWrittenLast(_ row: Int) -> Bool {
            let end = writtenEnds[row & 1]
            return row >= max(band.own.lowerBound, end - 2) && row < end
        }
    }

    init() { unsafe memory = nil }

    deinit { unsafe free(memory) }

    /// Begins a picture: copies the rows of other bands that `band` reads.
    ///
    /// Returns false if memory is refused.
    mutating func keep(_ band: Band, of picture: Picture) -> Bool {
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
        guard take(size) else { return false }
        for plane in 0..<picture.layout.format.planeCount {
            let kept = planes[plane]
            for row in kept.band.above { copy(row, of: plane, picture, to: kept.placeAbove(row)) }
            for row in kept.band.below { copy(row, of: plane, picture, to: kept.placeBelow(row)) }
        }
        return true
    }

    /// Must be told before the band writes rows of a plane that it may read again: the even ones (0), the odd ones (1).
    mutating func keepWritten(_ rows: Range<Int>, parity: Int, of plane: Int, _ picture: Picture) {
        let rows = rows.clamped(to: planes[plane].band.own)
        if let last = rows.last(where: { $0 & 1 == parity }) {
            copy(last, of: plane, picture, to: planes[plane].placeWritten(last))
        }
        planes[plane].writtenEnds[parity] = max(planes[plane].writtenEnds[parity], rows.upperBound)
    }

    /// Where eight rows begin, to read them as they were.
    func starts(of rows: PictureRows, plane: Int = 0, _ picture: Picture) -> RowStarts {
        let kept = planes[plane]
        return unsafe RowStarts(rows) { row in
            guard let memory = unsafe memory else { return unsafe picture.start(ofRow: row, plane: plane) }
            if kept.band.above.contains(row) { return unsafe memory + kept.placeAbove(row) }
            if kept.band.below.contains(row) { return unsafe memory + kept.placeBelow(row) }
            // Of the rows written, nobody looks further back.
            if plane > 0 && kept.wasWrittenLast(row) { return unsafe memory + kept.placeWritten(row) }
            return unsafe picture.start(ofRow: row, plane: plane)
        }
    }

    private mutating func take(_ size: Int) -> Bool {
        guard size > capacity else { return true }
        unsafe free(memory)
        unsafe memory = malloc(size)
        capacity = unsafe memory == nil ? 0 : size
        return capacity > 0
    }

    private func copy(_ row: Int, of plane: Int, _ picture: Picture, to place: Int) {
        guard let memory = unsafe memory else { return }
        unsafe (memory + place).copyMemory(
            from: picture.start(ofRow: row, plane: plane), byteCount: picture.rowBytes[plane])
    }
}
