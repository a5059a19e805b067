import AnalogVideoModel

/// Shows the signal in luma and chroma, eight rows at once.
///
/// The signal goes through R'G'B', clamped, as in `Screen`, so that a picture looks alike in every format.
struct LumaChromaScreen {
    let yuv: YUVPacking
    private let picture: Picture
    private let matrix: ColourMatrix

    init(_ yuv: YUVPacking, _ picture: Picture) {
        self.picture = picture
        self.yuv = yuv
        matrix = ColourMatrix(picture.layout.colour, depth: yuv.depth)
    }

    /// The columns of chroma.
    var chromaCount: Int { (picture.layout.width + yuv.horizontalShift) >> yuv.horizontalShift }

    // MARK: The numbers of luma, and B - Y and R - Y

    /// Replaces YIQ by the number of luma and by the differences that make chroma, in as many columns as chroma has.
    func convert(_ planeY: inout Plane, _ planeI: inout Plane, _ planeQ: inout Plane) {
        var luma = planeY.columns
        var chromaI = planeI.columns
        var chromaQ = planeQ.columns
        if yuv.chromaBlue == nil {
            for x in luma.indices { luma[x] = fma(clamped(luma[x], to: Lanes(1)), matrix.lumaRange, matrix.black) }
        } else if yuv.horizontalShift == 0 {
            for x in luma.indices { (chromaI[x], chromaQ[x]) = convert(&luma[x], chromaI[x], chromaQ[x]) }
        } else if picture.layout.colour.isCositedHorizontally {
            convertCosited(&luma, &chromaI, &chromaQ)
        } else {
            for pair in 0..<(luma.count / 2) {
                let (even, odd) = (pair &* 2, pair &* 2 &+ 1)
                let left = convert(&luma[even], chromaI[even], chromaQ[even])
                let right = convert(&luma[odd], chromaI[odd], chromaQ[odd])
                chromaI[pair] = (left.blue + right.blue) * Lanes(0.5)
                chromaQ[pair] = (left.red + right.red) * Lanes(0.5)
            }
            guard luma.count & 1 == 1 else { return }
            let last = luma.count - 1
            (chromaI[last / 2], chromaQ[last / 2]) = convert(&luma[last], chromaI[last], chromaQ[last])
        }
    }

    /// Chroma that lies on the left of two columns takes half of that column and a quarter of both beside it.
    private func convertCosited(
        _ luma: inout MutableSpan<Lanes>, _ chromaI: inout MutableSpan<Lanes>, _ chromaQ: inout MutableSpan<Lanes>
    ) {
        guard luma.count > 0 else { return }
        var first = luma[0]
        var before = convert(&first, chromaI[0], chromaQ[0])
        for pair in 0..<((luma.count + 1) / 2) {
            let (even, odd) = (pair &* 2, pair &* 2 &+ 1)
            let here = convert(&luma[even], chromaI[even], chromaQ[even])
            let after = odd < luma.count ? convert(&luma[odd], chromaI[odd], chromaQ[odd]) : here
            chromaI[pair] = fma(before.blue + after.blue, Lanes(0.25), here.blue * Lanes(0.5))
            chromaQ[pair] = fma(before.red + after.red, Lanes(0.25), here.red * Lanes(0.5))
            before = after
        }
    }

    @inline(always)
    private func convert(_ luma: inout Lanes, _ i: Lanes, _ q: Lanes) -> (blue: Lanes, red: Lanes) {
        let r = clamped(fma(q, Lanes(0.619), fma(i, Lanes(0.956), luma)), to: Lanes(1))
        let g = clamped(fma(q, Lanes(-0.647), fma(i, Lanes(-0.272), luma)), to: Lanes(1))
        let b = clamped(fma(q, Lanes(1.703), fma(i, Lanes(-1.106), luma)), to: Lanes(1))
        let y = fma(r, matrix.redWeight, fma(g, matrix.greenWeight, b * matrix.blueWeight))
        luma = fma(y, matrix.lumaRange, matrix.black)
        return (b - y, r - y)
    }

    // MARK: Into the picture

    func storeLuma(_ luma: borrowing Plane, in rows: PictureRows) {
        guard !rows.areEmpty else { return }
        ComponentRows(yuv.luma, nil, picture, count: picture.layout.width)
            .write(luma, luma, to: picture.starts(of: rows, plane: yuv.luma.plane))
    }

    /// Turns what is left of chroma into the numbers to be stored.
    func findNumbers(_ blue: inout Plane, _ red: inout Plane) {
        guard yuv.chromaBlue != nil else { return }
        number(&blue, matrix.blueScale)
        number(&red, matrix.redScale)
    }

    /// Stores chroma in those rows of its planes.
    func storeNumbers(_ blue: borrowing Plane, _ red: borrowing Plane, in rows: PictureRows) {
        guard !rows.areEmpty, let bluePlace = yuv.chromaBlue, let redPlace = yuv.chromaRed else { return }
        let starts = picture.starts(of: rows, plane: bluePlace.plane)
        if bluePlace.plane == redPlace.plane {
            ComponentRows(bluePlace, redPlace, picture, count: chromaCount).write(blue, red, to: starts)
        } else {
            ComponentRows(bluePlace, nil, picture, count: chromaCount).write(blue, blue, to: starts)
            ComponentRows(redPlace, nil, picture, count: chromaCount)
                .write(red, red, to: picture.starts(of: rows, plane: redPlace.plane))
        }
    }

    private func number(_ plane: inout Plane, _ scale: Lanes) {
        var columns = plane.columns
        for x in 0..<min(chromaCount, columns.count) {
            var number = fma(columns[x], scale, matrix.grey)
            // Half of the full range is one more than can be stored.
            number.replace(with: matrix.maximum, where: number .> matrix.maximum)
            columns[x] = number
        }
    }
}
