/// Converts luma and chroma to clamped and truncated pixels of red, green and blue, a block of rows at a time.
///
/// Alpha and padding do not change. See docs/NTSC.md, "YIQ to R'G'B'".
struct Screen {
    private let picture: Picture
    private let packing: PixelPacking
    private let axes: ChromaAxes
    private let maximum: Lanes
    private let bytes: PixelBytes
    private let otherBits: LaneBits

    init(_ picture: Picture, _ axes: ChromaAxes) {
        self.picture = picture
        self.axes = axes
        packing = PixelPacking(picture.layout.format)
        maximum = Lanes(Float(packing.maximum))
        bytes = PixelBytes(packing)
        otherBits = LaneBits(repeating: UInt32(truncatingIfNeeded: packing.otherBits))
    }

    func show(
        _ planeY: borrowing Plane, _ planeI: borrowing Plane, _ planeQ: borrowing Plane, in rows: PictureRows
    ) {
        guard !rows.areEmpty else { return }
        let luma = planeY.readOnlyColumns
        let chromaI = planeI.readOnlyColumns
        let chromaQ = planeQ.readOnlyColumns
        let starts = picture.starts(of: rows)
        switch packing.bytesPerPixel {
        case 4:
            let width = picture.layout.width
            let whole = width < rowsPerBlock ? 0 : width
            guard whole <= luma.count, whole <= chromaI.count, whole <= chromaQ.count else { return }
            unsafe showSquares(whole, starts, planeY.start, planeI.start, planeQ.start)
            show(FourBytes.self, from: whole, starts, luma, chromaI, chromaQ)
        case 8: show(EightBytes.self, from: 0, starts, luma, chromaI, chromaQ)
        default: show(ThreeBytes.self, from: 0, starts, luma, chromaI, chromaQ)
        }
    }

    /// Converts the columns up to `end` in groups of `rowsPerBlock`; the last group can overlap the group before it.
    @inline(__always)
    private func showSquares(
        _ end: Int, _ starts: RowStarts, _ luma: UnsafeMutablePointer<Lanes>, _ chromaI: UnsafeMutablePointer<Lanes>,
        _ chromaQ: UnsafeMutablePointer<Lanes>
    ) {
        for first in stride(from: 0, to: end, by: rowsPerBlock) {
            let x = min(first, end &- rowsPerBlock)
            // The accesses are unchecked, because three bounds checks per column would take a tenth of the time here.
            let (y, i, q) = unsafe (luma + x, chromaI + x, chromaQ + x)
            transpose(
                { unsafe pixels(y[$0], i[$0], q[$0]) },
                { lane, words in starts.store(words, keeping: otherBits, x, lane) })
        }
    }

    @inline(__always)
    private func pixels(_ y: Lanes, _ i: Lanes, _ q: Lanes) -> LaneBits {
        let (r, g, b) = rgb(y, i, q)
        return bytes.pixels(r, g, b)
    }

    /// Converts the columns from `first` on, one pixel of each row at a time.
    @inline(__always)
    private func show<Size: PixelSize>(
        _ size: Size.Type, from first: Int, _ starts: RowStarts, _ luma: Span<Lanes>,
        _ chromaI: Span<Lanes>, _ chromaQ: Span<Lanes>
    ) {
        let otherBits = packing.otherBits
        for x in first..<picture.layout.width {
            let (r, g, b) = rgb(luma[x], chromaI[x], chromaQ[x])
            let words = packing.words(r, g, b)
            for lane in 0..<rowsPerBlock { starts.store(words[lane], keeping: otherBits, x, lane, size) }
        }
    }

    @inline(__always)
    private func rgb(_ y: Lanes, _ i: Lanes, _ q: Lanes) -> (LaneBits, LaneBits, LaneBits) {
        let (r, g, b) = axes.rgb(y, i, q)
        return (whole(r), whole(g), whole(b))
    }

    /// Clamps and truncates a colour component; NaN becomes the maximum, as in the reference.
    @inline(__always)
    private func whole(_ component: Lanes) -> LaneBits {
        clampedWhole(component * maximum, to: maximum)
    }
}
