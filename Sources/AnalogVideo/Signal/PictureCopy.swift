import AnalogVideoModel

/// The pixels of a picture before any band writes, for a field that reads rows of all bands.
struct PictureCopy: ~Copyable {
    private var memory = GrowingMemory()

    /// Copies a picture; returns nil if memory is refused.
    ///
    /// The copy is valid until the next one.
    mutating func copy(_ picture: Picture) -> Picture? {
        var layout = picture.layout
        var starts: InlineArray<3, Int> = [0, 0, 0]
        var size = 0
        for plane in 0..<layout.format.planeCount {
            layout.planes[plane] = PlaneLayout(stride: picture.rowBytes[plane])
            starts[plane] = size
            size += picture.rowBytes[plane] * picture.rowCounts[plane]
        }
        guard memory.take(size), let memory = unsafe memory.start else { return nil }
        var planes = unsafe InlineArray<3, UnsafeMutableRawPointer?>(repeating: nil)
        for plane in 0..<layout.format.planeCount {
            let rowBytes = picture.rowBytes[plane]
            unsafe planes[plane] = memory + starts[plane]
            for row in 0..<picture.rowCounts[plane] {
                unsafe (memory + starts[plane] + row * rowBytes)
                    .copyMemory(from: picture.start(ofRow: row, plane: plane), byteCount: rowBytes)
            }
        }
        return unsafe Picture(planes, layout: layout)
    }
}
