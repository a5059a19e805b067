/// Shows the signal: YIQ to R'G'B', clamped and truncated to whole numbers, eight rows at once.
///
/// Alpha and padding stay as they are; NTSC.md, section 1.4.
struct Screen {
    private let picture: Picture
    private let maximum: Lanes
    private let redShift, greenShift, blueShift: LaneBits
    private let otherBits: SIMD4<UInt32>

    /// Stands for a row that is missing, where the start of a row is asked for.
    private static let noRow = Int.min

    init(_ picture: Picture) {
        self.picture = picture
        let packing = picture.packing
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
        let width = picture.layout.width
        var x = 0
        if picture.packing.bytesPerPixel == 4 {
            let starts = InlineArray<8, Int> { rows[$0].map(picture.start(ofRow:)) ?? Self.noRow }
            while x + 4 <= width {
                let words = transpose(
                    word(luma[x], chromaI[x], chromaQ[x]), word(luma[x + 1], chromaI[x + 1], chromaQ[x + 1]),
                    word(luma[x + 2], chromaI[x + 2], chromaQ[x + 2]),
                    word(luma[x + 3], chromaI[x + 3], chromaQ[x + 3]))
                store(words.0, 0, x, starts)
                store(words.1, 1, x, starts)
                store(words.2, 2, x, starts)
                store(words.3, 3, x, starts)
                x += 4
            }
        }
        while x < width {
            showPixel(x, rgb(luma[x], chromaI[x], chromaQ[x]), rows)
            x += 1
        }
    }

    /// Stores four pixels of row `lane` and, from the upper half, of the row four below.
    @inline(__always)
    private func store(_ words: LaneBits, _ lane: Int, _ x: Int, _ starts: InlineArray<8, Int>) {
        let (upper, lower) = (starts[lane], starts[lane + 4])
        if upper != Self.noRow { picture.store(words.lowHalf, keeping: otherBits, x, from: upper) }
        if lower != Self.noRow { picture.store(words.highHalf, keeping: otherBits, x, from: lower) }
    }

    private func showPixel(_ x: Int, _ colour: (LaneBits, LaneBits, LaneBits), _ rows: PictureRows) {
        let packing = picture.packing
        for lane in 0..<rowsPerBlock {
            guard let y = rows[lane] else { continue }
            let word = packing.word(red: colour.0[lane], green: colour.1[lane], blue: colour.2[lane])
            picture.store(word | (picture.word(x, y) & packing.otherBits), x, y)
        }
    }

    @inline(__always)
    private func word(_ y: Lanes, _ i: Lanes, _ q: Lanes) -> LaneBits {
        let (r, g, b) = rgb(y, i, q)
        return (r &<< redShift) | (g &<< greenShift) | (b &<< blueShift)
    }

    @inline(__always)
    private func rgb(_ y: Lanes, _ i: Lanes, _ q: Lanes) -> (LaneBits, LaneBits, LaneBits) {
        (
            whole(fma(q, Lanes(0.619), fma(i, Lanes(0.956), y))),
            whole(fma(q, Lanes(-0.647), fma(i, Lanes(-0.272), y))),
            whole(fma(q, Lanes(1.703), fma(i, Lanes(-1.106), y)))
        )
    }

    /// Clamps and truncates; what is no number at all becomes white, as in the reference.
    @inline(__always)
    private func whole(_ component: Lanes) -> LaneBits {
        var value = component * maximum
        value.replace(with: maximum, where: .!(value .< maximum))
        value.replace(with: Lanes(0), where: value .< Lanes(0))
        return bits(floor(value) + Lanes(8_388_608)) & LaneBits(repeating: 0x1_FFFF)
    }
}
