/// Reads pixels and makes the signal of them: R'G'B' to YIQ, eight rows at once.
///
/// The mathematics runs on the values as they are, without a transfer curve; NTSC.md, section 1.3.
struct Camera {
    private let picture: Picture
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

    func shoot(_ rows: PictureRows, luma planeY: inout Plane, _ planeI: inout Plane, _ planeQ: inout Plane) {
        var luma = planeY.columns
        var chromaI = planeI.columns
        var chromaQ = planeQ.columns
        let width = picture.layout.width
        var x = 0
        if picture.packing.bytesPerPixel == 4 {
            let starts = InlineArray<8, Int> { picture.start(ofRow: rows.readable($0)) }
            while x + 4 <= width {
                let columns = transpose(
                    rowsFourApart(0, x, starts), rowsFourApart(1, x, starts), rowsFourApart(2, x, starts),
                    rowsFourApart(3, x, starts))
                (luma[x], chromaI[x], chromaQ[x]) = yiq(columns.0)
                (luma[x + 1], chromaI[x + 1], chromaQ[x + 1]) = yiq(columns.1)
                (luma[x + 2], chromaI[x + 2], chromaQ[x + 2]) = yiq(columns.2)
                (luma[x + 3], chromaI[x + 3], chromaQ[x + 3]) = yiq(columns.3)
                x += 4
            }
        }
        while x < width {
            (luma[x], chromaI[x], chromaQ[x]) = onePixel(x, rows)
            x += 1
        }
    }

    /// Four pixels of row `lane` and, in the upper half, of the row four below.
    @inline(__always)
    private func rowsFourApart(_ lane: Int, _ x: Int, _ starts: InlineArray<8, Int>) -> LaneBits {
        LaneBits(
            lowHalf: picture.fourWords(x, from: starts[lane]), highHalf: picture.fourWords(x, from: starts[lane + 4]))
    }

    private func onePixel(_ x: Int, _ rows: PictureRows) -> (Lanes, Lanes, Lanes) {
        var red = LaneBits(repeating: 0)
        var green = LaneBits(repeating: 0)
        var blue = LaneBits(repeating: 0)
        let packing = picture.packing
        for lane in 0..<rowsPerBlock {
            let word = picture.word(x, rows.readable(lane))
            red[lane] = packing.component(word, packing.redShift)
            green[lane] = packing.component(word, packing.greenShift)
            blue[lane] = packing.component(word, packing.blueShift)
        }
        return yiq(red, green, blue)
    }

    @inline(__always)
    private func yiq(_ word: LaneBits) -> (Lanes, Lanes, Lanes) {
        yiq((word &>> redShift) & mask, (word &>> greenShift) & mask, (word &>> blueShift) & mask)
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
