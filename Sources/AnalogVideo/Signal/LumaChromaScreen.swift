import AnalogVideoModel

/// Converts luma and chroma of the signal to pixels of Y'CbCr, a block of rows at a time; see docs/NTSC.md, "Y'CbCr".
///
/// The intermediate R'G'B' is clamped, as in `Screen`, so that the picture is the same in every format.
struct LumaChromaScreen {
    let yuv: YUVPacking
    private let picture: Picture
    private let matrix: ColourMatrix
    private let axes: ChromaAxes

    init(_ yuv: YUVPacking, _ picture: Picture, _ axes: ChromaAxes) {
        self.axes = axes
        self.picture = picture
        self.yuv = yuv
        matrix = ColourMatrix(picture.layout.colour, depth: yuv.depth)
    }

    /// Number of chroma samples in a row.
    var chromaCount: Int { (picture.layout.width + yuv.horizontalShift) >> yuv.horizontalShift }

    // MARK: Codes of luma, and B - Y and R - Y

    /// Replaces Y by codes of luma, and I and Q by B - Y and R - Y for each chroma sample.
    func convert(_ planeY: inout Plane, _ planeI: inout Plane, _ planeQ: inout Plane) {
        var luma = planeY.columns
        var chromaI = planeI.columns
        var chromaQ = planeQ.columns
        guard chromaI.count == luma.count, chromaQ.count == luma.count, luma.count > 0 else { return }
        if yuv.chromaBlue == nil {
            for x in luma.indices { luma[x] = fma(clamped(luma[x], to: Lanes(1)), matrix.lumaRange, matrix.black) }
        } else if yuv.horizontalShift == 0 {
            for x in luma.indices {
                let pixel = pixel(luma[x], chromaI[x], chromaQ[x])
                (luma[x], chromaI[x], chromaQ[x]) = (pixel.luma, pixel.blue, pixel.red)
            }
        } else if picture.layout.colour.isCositedHorizontally {
            convertCosited(&luma, &chromaI, &chromaQ)
        } else {
            convertPairs(&planeY, &planeI, &planeQ)
        }
    }

    /// Converts to chroma sited between two columns, which is the mean of both.
    private func convertPairs(_ planeY: inout Plane, _ planeI: inout Plane, _ planeQ: inout Plane) {
        let (startY, startI, startQ) = unsafe (planeY.start, planeI.start, planeQ.start)
        var luma = planeY.columns
        var chromaI = planeI.columns
        var chromaQ = planeQ.columns
        // Unchecked, because bounds checks are a fifth of the instructions; `convert` has compared the planes.
        for pair in 0..<(luma.count / 2) {
            let (y, i, q) = unsafe (startY + pair &* 2, startI + pair &* 2, startQ + pair &* 2)
            let (evenY, oddY, evenI, oddI) = unsafe (y[0], y[1], i[0], i[1])
            let (evenQ, oddQ) = unsafe (q[0], q[1])
            let left = pixel(evenY, evenI, evenQ)
            let right = pixel(oddY, oddI, oddQ)
            unsafe (y[0], y[1]) = (left.luma, right.luma)
            unsafe startI[pair] = (left.blue + right.blue) * Lanes(0.5)
            unsafe startQ[pair] = (left.red + right.red) * Lanes(0.5)
        }
        guard luma.count & 1 == 1 else { return }
        let last = luma.count - 1
        let pixel = pixel(luma[last], chromaI[last], chromaQ[last])
        (luma[last], chromaI[last / 2], chromaQ[last / 2]) = (pixel.luma, pixel.blue, pixel.red)
    }

    /// Converts to chroma cosited with the left of two columns: 1/2 of that column plus 1/4 of each neighbour.
    @_lifetime(luma: copy luma)
    @_lifetime(chromaI: copy chromaI)
    @_lifetime(chromaQ: copy chromaQ)
    private func convertCosited(
        _ luma: inout MutableSpan<Lanes>, _ chromaI: inout MutableSpan<Lanes>, _ chromaQ: inout MutableSpan<Lanes>
    ) {
        var left = pixel(luma[0], chromaI[0], chromaQ[0])
        for pair in 0..<((luma.count + 1) / 2) {
            let (even, odd) = (pair &* 2, pair &* 2 &+ 1)
            let here = pixel(luma[even], chromaI[even], chromaQ[even])
            luma[even] = here.luma
            var right = here
            if odd < luma.count {
                right = pixel(luma[odd], chromaI[odd], chromaQ[odd])
                luma[odd] = right.luma
            }
            chromaI[pair] = fma(left.blue + right.blue, Lanes(0.25), here.blue * Lanes(0.5))
            chromaQ[pair] = fma(left.red + right.red, Lanes(0.25), here.red * Lanes(0.5))
            left = right
        }
    }

    /// Code of luma, and B - Y and R - Y in the same unit; not rounded.
    @inline(__always)
    private func pixel(_ y: Lanes, _ i: Lanes, _ q: Lanes) -> (luma: Lanes, blue: Lanes, red: Lanes) {
        let colour = axes.rgb(y, i, q)
        let r = clamped(colour.0, to: Lanes(1))
        let g = clamped(colour.1, to: Lanes(1))
        let b = clamped(colour.2, to: Lanes(1))
        let luma = fma(r, matrix.redInLuma, fma(g, matrix.greenInLuma, fma(b, matrix.blueInLuma, matrix.black)))
        let withoutY = matrix.black - luma
        return (luma, fma(b, matrix.lumaRange, withoutY), fma(r, matrix.lumaRange, withoutY))
    }

    // MARK: Into the picture

    func storeLuma(_ luma: borrowing Plane, in rows: PictureRows) {
        guard !rows.areEmpty else { return }
        ComponentRows(yuv.luma, nil, picture, count: picture.layout.width)
            .write(luma, luma, to: picture.starts(of: rows, plane: yuv.luma.plane))
    }

    func encodeChroma(_ blue: inout Plane, _ red: inout Plane) {
        guard yuv.chromaBlue != nil else { return }
        encode(&blue, matrix.blueScale)
        encode(&red, matrix.redScale)
    }

    func storeChroma(_ blue: borrowing Plane, _ red: borrowing Plane, in rows: PictureRows) {
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

    private func encode(_ plane: inout Plane, _ scale: Lanes) {
        // In full range, the positive limit is one above the largest code, so it is clamped.
        unsafe Columns.replace(plane.start, min(chromaCount, plane.readOnlyColumns.count)) { column, _ in
            smaller(fma(column, scale, matrix.grey), matrix.maximum)
        }
    }
}
