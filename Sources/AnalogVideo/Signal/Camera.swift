/// Reads pixels and makes the signal of them: R'G'B' to YIQ, eight rows at once.
///
/// The mathematics runs on the values as they are, without a transfer curve; NTSC.md, section 1.3.
struct Camera {
    let picture: Picture
    private let scale: Lanes
    private let redShift, greenShift, blueShift, mask: LaneBits

    init(_ picture: Picture) {
        self.picture = picture
        let packing = picture.packing
        scale = Lanes(1 / Float(packing.maximum))
        redShift = LaneBits(repeating: packing.redShift)
        greenShift = LaneBits(repeating: packing.greenShift)
        blueShift = LaneBits(repeating: packing.blueShift)
        mask = LaneBits(repeating: packing.maximum)
    }

    func shoot(
        _ rows: PictureRows, luma planeY: inout Plane, _ planeI: inout Plane, _ planeQ: inout Plane
    ) {
        var luma = planeY.columns
        var chromaI = planeI.columns
        var chromaQ = planeQ.columns
        let width = picture.layout.width
        var x = 0
        if picture.packing.bytesPerPixel == 4 {
            var words = InlineArray<8, LaneBits>(repeating: LaneBits(repeating: 0))
            while x + 8 <= width {
                for lane in 0..<rowsPerBlock { words[lane] = picture.eightWords(x, rows.readable(lane)) }
                transpose(&words)
                for column in 0..<8 {
                    let word = words[column]
                    let colour = yiq(
                        (word &>> redShift) & mask, (word &>> greenShift) & mask, (word &>> blueShift) & mask)
                    (luma[x + column], chromaI[x + column], chromaQ[x + column]) = colour
                }
                x += 8
            }
        }
        while x < width {
            var red = LaneBits(repeating: 0)
            var green = LaneBits(repeating: 0)
            var blue = LaneBits(repeating: 0)
            for lane in 0..<rowsPerBlock {
                let word = picture.word(x, rows.readable(lane))
                red[lane] = picture.packing.component(word, picture.packing.redShift)
                green[lane] = picture.packing.component(word, picture.packing.greenShift)
                blue[lane] = picture.packing.component(word, picture.packing.blueShift)
            }
            (luma[x], chromaI[x], chromaQ[x]) = yiq(red, green, blue)
            x += 1
        }
    }

    @inline(__always)
    private func yiq(_ red: LaneBits, _ green: LaneBits, _ blue: LaneBits) -> (Lanes, Lanes, Lanes) {
        let r = float(red) * scale
        let g = float(green) * scale
        let b = float(blue) * scale
        return (
            fma(r, Lanes(0.299), fma(g, Lanes(0.587), b * Lanes(0.114))),
            fma(r, Lanes(0.5959), fma(g, Lanes(-0.2746), b * Lanes(-0.3213))),
            fma(r, Lanes(0.2115), fma(g, Lanes(-0.5227), b * Lanes(0.3112)))
        )
    }
}
