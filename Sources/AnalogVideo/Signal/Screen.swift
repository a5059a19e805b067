/// Shows the signal: YIQ to R'G'B', clamped and truncated to whole numbers, eight rows at once.
///
/// Alpha and padding stay as they are; NTSC.md, section 1.4.
struct Screen {
    let picture: Picture
    private let maximum: Lanes
    private let redShift, greenShift, blueShift, otherBits: LaneBits

    init(_ picture: Picture) {
        self.picture = picture
        let packing = picture.packing
        maximum = Lanes(Float(packing.maximum))
        redShift = LaneBits(repeating: packing.redShift)
        greenShift = LaneBits(repeating: packing.greenShift)
        blueShift = LaneBits(repeating: packing.blueShift)
        otherBits = LaneBits(repeating: UInt32(truncatingIfNeeded: packing.otherBits))
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
            var words = InlineArray<8, LaneBits>(repeating: LaneBits(repeating: 0))
            while x + 8 <= width {
                for column in 0..<8 {
                    let (r, g, b) = rgb(luma[x + column], chromaI[x + column], chromaQ[x + column])
                    words[column] = (r &<< redShift) | (g &<< greenShift) | (b &<< blueShift)
                }
                transpose(&words)
                for lane in 0..<rowsPerBlock {
                    guard let y = rows[lane] else { continue }
                    picture.store(words[lane] | (picture.eightWords(x, y) & otherBits), x, y)
                }
                x += 8
            }
        }
        while x < width {
            let (r, g, b) = rgb(luma[x], chromaI[x], chromaQ[x])
            for lane in 0..<rowsPerBlock {
                guard let y = rows[lane] else { continue }
                let word = picture.packing.word(red: r[lane], green: g[lane], blue: b[lane])
                picture.store(word | (picture.word(x, y) & picture.packing.otherBits), x, y)
            }
            x += 1
        }
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
