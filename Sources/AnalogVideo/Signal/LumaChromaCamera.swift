import AnalogVideoModel

/// Converts pixels of Y'CbCr to YIQ, a block of rows at a time; see docs/NTSC.md, "Y'CbCr".
struct LumaChromaCamera {
    private let picture: Picture
    private let yuv: YUVPacking
    private let matrix: ColourMatrix

    init(_ yuv: YUVPacking, _ picture: Picture) {
        self.picture = picture
        self.yuv = yuv
        matrix = ColourMatrix(picture.layout.colour, depth: yuv.depth)
    }

    func convert(
        _ rows: PictureRows, _ kept: borrowing KeptRows, _ storage: ChromaStorage, luma: inout Plane,
        _ chromaI: inout Plane, _ chromaQ: inout Plane
    ) {
        let width = picture.layout.width
        ComponentRows(yuv.luma, nil, picture, count: width)
            .read(kept.starts(of: rows, plane: yuv.luma.plane, picture), nil, into: &luma, &chromaI)
        guard let blue = yuv.chromaBlue, let red = yuv.chromaRed else { return scale(&luma, &chromaI, &chromaQ) }
        let places = ChromaRows(rows, picture, storage)
        let count = (width + yuv.horizontalShift) >> yuv.horizontalShift
        if blue.plane == red.plane {
            read(ComponentRows(blue, red, picture, count: count), blue.plane, places, kept, &chromaI, &chromaQ)
        } else {
            read(ComponentRows(blue, nil, picture, count: count), blue.plane, places, kept, &chromaI, &chromaQ)
            read(ComponentRows(red, nil, picture, count: count), red.plane, places, kept, &chromaQ, &chromaI)
        }
        if yuv.horizontalShift == 0 {
            mix(&luma, &chromaI, &chromaQ)
        } else {
            mixAndSpread(&luma, &chromaI, &chromaQ, count: count)
        }
    }

    private func read(
        _ component: ComponentRows, _ plane: Int, _ places: ChromaRows, _ kept: borrowing KeptRows,
        _ first: inout Plane, _ second: inout Plane
    ) {
        let near = kept.starts(of: places.near, plane: plane, picture)
        let isBlend = yuv.verticalShift == 1 && places.farPart != Lanes(0)
        let blend =
            isBlend
            ? ComponentRows.Blend(
                far: kept.starts(of: places.far, plane: plane, picture), nearPart: places.nearPart,
                farPart: places.farPart) : nil
        component.read(near, blend, into: &first, &second)
    }

    /// Converts luma without chroma; I and Q are 0.
    private func scale(_ planeY: inout Plane, _ planeI: inout Plane, _ planeQ: inout Plane) {
        var luma = planeY.columns
        var chromaI = planeI.columns
        var chromaQ = planeQ.columns
        let offset = -matrix.black * matrix.lumaScale
        for x in luma.indices {
            luma[x] = clamped(fma(luma[x], matrix.lumaScale, offset), to: Lanes(1))
            chromaI[x] = Lanes(0)
            chromaQ[x] = Lanes(0)
        }
    }

    /// Contribution of Cb and Cr to R', G' and B'.
    @inline(always)
    private func colour(_ blue: Lanes, _ red: Lanes) -> (r: Lanes, g: Lanes, b: Lanes) {
        (
            fma(red, matrix.redInR, matrix.offsetR),
            fma(blue, matrix.blueInG, fma(red, matrix.redInG, matrix.offsetG)),
            fma(blue, matrix.blueInB, matrix.offsetB)
        )
    }

    /// Y, I and Q from luma and the contribution of chroma.
    ///
    /// Codes can be outside the nominal range or outside the R'G'B' cube, so the values are clamped.
    @inline(always)
    private func yiq(_ luma: Lanes, _ r: Lanes, _ g: Lanes, _ b: Lanes) -> (Lanes, Lanes, Lanes) {
        let r = clamped(fma(luma, matrix.lumaScale, r), to: Lanes(1))
        let g = clamped(fma(luma, matrix.lumaScale, g), to: Lanes(1))
        let b = clamped(fma(luma, matrix.lumaScale, b), to: Lanes(1))
        return Camera.yiq(r, g, b)
    }

    private func mix(_ planeY: inout Plane, _ planeI: inout Plane, _ planeQ: inout Plane) {
        var luma = planeY.columns
        var chromaI = planeI.columns
        var chromaQ = planeQ.columns
        for x in luma.indices {
            let chroma = colour(chromaI[x], chromaQ[x])
            (luma[x], chromaI[x], chromaQ[x]) = yiq(luma[x], chroma.r, chroma.g, chroma.b)
        }
    }

    /// Converts horizontally subsampled chroma; columns between samples are interpolated.
    ///
    /// The loop runs from right to left, because input and output share the planes.
    private func mixAndSpread(_ planeY: inout Plane, _ planeI: inout Plane, _ planeQ: inout Plane, count: Int) {
        var luma = planeY.columns
        var chromaI = planeI.columns
        var chromaQ = planeQ.columns
        let isCosited = picture.layout.colour.isCositedHorizontally
        let (leftPart, rightPart) = (Lanes(isCosited ? 0 : 0.25), Lanes(isCosited ? 0.5 : 0.25))
        let (evenPart, oddPart) = (Lanes(1) - leftPart, Lanes(1) - rightPart)
        guard count > 0, luma.count <= 2 * count else { return }
        var here = colour(chromaI[count - 1], chromaQ[count - 1])
        var right = here
        var pair = count - 1
        while pair >= 0 {
            let left = pair > 0 ? colour(chromaI[pair - 1], chromaQ[pair - 1]) : here
            let (even, odd) = (pair &* 2, pair &* 2 &+ 1)
            if odd < luma.count {
                (luma[odd], chromaI[odd], chromaQ[odd]) = yiq(
                    luma[odd], fma(right.r, rightPart, here.r * oddPart), fma(right.g, rightPart, here.g * oddPart),
                    fma(right.b, rightPart, here.b * oddPart))
            }
            (luma[even], chromaI[even], chromaQ[even]) = yiq(
                luma[even], fma(left.r, leftPart, here.r * evenPart), fma(left.g, leftPart, here.g * evenPart),
                fma(left.b, leftPart, here.b * evenPart))
            right = here
            here = left
            pair -= 1
        }
    }
}
