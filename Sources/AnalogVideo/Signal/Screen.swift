/// Converts YIQ to pixels of red, green and blue, clamped and truncated, all rows of a block at once.
///
/// Alpha and padding stay as they are. See docs/NTSC.md, "YIQ to R'G'B'".
struct Screen {
    private let picture: Picture
    private let packing: PixelPacking
    private let maximum: Lanes
    private let redShift, greenShift, blueShift: LaneBits
    private let otherBits: SIMD4<UInt32>

    init(_ picture: Picture) {
        self.picture = picture
        packing = PixelPacking(picture.layout.format)
        maximum = Lanes(Float(packing.maximum))
        redShift = LaneBits(repeating: packing.redShift)
        greenShift = LaneBits(repeating: packing.greenShift)
        blueShift = LaneBits(repeating: packing.blueShift)
        otherBits = SIMD4(repeating: UInt32(truncatingIfNeeded: packing.otherBits))
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
            let whole = picture.layout.width & ~3
            for x in stride(from: 0, to: whole, by: 4) {
                var columns = InlineArray<4, LaneBits>(repeating: LaneBits(repeating: 0))
                for column in 0..<4 {
                    let (r, g, b) = rgb(luma[x + column], chromaI[x + column], chromaQ[x + column])
                    columns[column] = (r &<< redShift) | (g &<< greenShift) | (b &<< blueShift)
                }
                let words = transpose(columns[0], columns[1], columns[2], columns[3])
                store(words.0, 0, x, starts)
                store(words.1, 1, x, starts)
                store(words.2, 2, x, starts)
                store(words.3, 3, x, starts)
            }
            show(FourBytes.self, from: whole, starts, luma, chromaI, chromaQ)
        case 8: show(EightBytes.self, from: 0, starts, luma, chromaI, chromaQ)
        default: show(ThreeBytes.self, from: 0, starts, luma, chromaI, chromaQ)
        }
    }

    /// Stores four pixels of row `lane`, of row `lane + 4` and so on.
    @inline(always)
    private func store(_ words: LaneBits, _ lane: Int, _ x: Int, _ starts: RowStarts) {
        for four in 0..<(rowsPerBlock / 4) {
            starts.store(words.four(four), keeping: otherBits, x, lane + 4 * four)
        }
    }

    /// Converts the columns from `first` on, one pixel of each row at a time.
    @inline(always)
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

    @inline(always)
    private func rgb(_ y: Lanes, _ i: Lanes, _ q: Lanes) -> (LaneBits, LaneBits, LaneBits) {
        (
            whole(fma(q, Lanes(0.619), fma(i, Lanes(0.956), y))),
            whole(fma(q, Lanes(-0.647), fma(i, Lanes(-0.272), y))),
            whole(fma(q, Lanes(1.703), fma(i, Lanes(-1.106), y)))
        )
    }

    /// Clamps and truncates; NaN becomes the maximum, as in the reference.
    @inline(always)
    private func whole(_ component: Lanes) -> LaneBits {
        bits(floor(clamped(component * maximum, to: maximum)) + Lanes(8_388_608)) & LaneBits(repeating: 0x1_FFFF)
    }
}
