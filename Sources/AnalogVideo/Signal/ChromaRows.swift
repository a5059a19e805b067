import AnalogVideoModel

/// Rows of a chroma plane, with weights, from which chroma of a block of picture rows is interpolated.
///
/// In an interlaced picture a row of subsampled chroma belongs to two rows of one field, and the rows of the chroma
/// plane alternate between the fields.
struct ChromaRows {
    /// Rows of chroma above and below each row of the picture.
    private(set) var near = PictureRows()
    private(set) var far = PictureRows()
    private(set) var nearPart = Lanes(1)
    private(set) var farPart = Lanes(0)

    init(_ rows: PictureRows, _ picture: Picture, _ storage: ChromaStorage) {
        guard picture.layout.format.yuv?.verticalShift == 1 else {
            near = rows
            far = rows
            return
        }
        let isCosited = picture.layout.colour.isCositedVertically
        for lane in 0..<rowsPerBlock {
            guard let row = rows[lane] else { continue }
            let count = picture.rowCounts[1]
            let step = storage.step
            // A picture of one or two rows has no chroma row for its lower field.
            let parity = count > 1 ? row % step : 0
            let last = (count - 1 - parity) / step
            // Distance of this row below the first row of chroma, in quarters of a row.
            let distance = (row / step) * 4 - storage.site(parity: row % step, isCosited: isCosited)
            let (above, part) = (distance >> 3, Float(distance & 7) / 8)
            near[lane] = max(0, min(above, last)) * step + parity
            far[lane] = max(0, min(above + 1, last)) * step + parity
            nearPart[lane] = 1 - part
            farPart[lane] = part
        }
    }
}
