import AnalogVideoModel

/// Converts pixels of Y'CbCr to luma and chroma of the signal, a block of rows at a time; see docs/NTSC.md, "Y'CbCr".
struct LumaChromaCamera {
    private let picture: Picture
    private let yuv: YUVPacking
    private let matrix: ColourMatrix
    private let axes: ChromaAxes

    init(_ yuv: YUVPacking, _ picture: Picture, _ axes: ChromaAxes) {
        self.axes = axes
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

    private func mix(_ planeY: inout Plane, _ planeI: inout Plane, _ planeQ: inout Plane) {
        var luma = planeY.columns
        var chromaI = planeI.columns
        var chromaQ = planeQ.columns
        let conversion = Conversion(matrix, axes)
        for x in luma.indices {
            let colour = conversion.colour(chromaI[x], chromaQ[x])
            (luma[x], chromaI[x], chromaQ[x]) = conversion.yiq(luma[x], colour)
        }
    }

    /// Converts horizontally subsampled chroma; columns between samples are interpolated.
    private func mixAndSpread(_ planeY: inout Plane, _ planeI: inout Plane, _ planeQ: inout Plane, count: Int) {
        if picture.layout.colour.isCositedHorizontally {
            mixAndSpread(isCosited: true, &planeY, &planeI, &planeQ, count)
        } else {
            mixAndSpread(isCosited: false, &planeY, &planeI, &planeQ, count)
        }
    }

    /// The loop runs from right to left, because input and output share the planes.
    @inline(__always)
    private func mixAndSpread(
        isCosited: Bool, _ planeY: inout Plane, _ planeI: inout Plane, _ planeQ: inout Plane, _ count: Int
    ) {
        let width = planeY.readOnlyColumns.count
        guard count > 0, count == (width + 1) / 2, planeI.readOnlyColumns.count == width,
            planeQ.readOnlyColumns.count == width
        else { return }
        // Unchecked, because bounds checks are a third of the instructions.
        let (luma, chromaI, chromaQ) = unsafe (planeY.start, planeI.start, planeQ.start)
        let conversion = Conversion(matrix, axes)
        // Chroma of the pair, and of the pair to its right.
        var here = unsafe conversion.colour(chromaI[count - 1], chromaQ[count - 1])
        var right = here
        for pair in (0..<count).reversed() {
            // Left of the first pair, its chroma repeats.
            let leftPair = max(pair &- 1, 0)
            let left = unsafe conversion.colour(chromaI[leftPair], chromaQ[leftPair])
            let even = isCosited ? here : mean(0.25, left, 0.75, here)
            let odd = isCosited ? mean(0.5, right, 0.5, here) : mean(0.25, right, 0.75, here)
            let (y, i, q) = unsafe (luma + pair &* 2, chromaI + pair &* 2, chromaQ + pair &* 2)
            if pair &* 2 &+ 1 < width {
                let (evenPixel, oddPixel) = unsafe (conversion.yiq(y[0], even), conversion.yiq(y[1], odd))
                unsafe (y[0], y[1]) = (evenPixel.0, oddPixel.0)
                unsafe (i[0], i[1]) = (evenPixel.1, oddPixel.1)
                unsafe (q[0], q[1]) = (evenPixel.2, oddPixel.2)
            } else {
                unsafe (y[0], i[0], q[0]) = conversion.yiq(y[0], even)
            }
            (here, right) = (left, here)
        }
    }
}

/// Contribution of chroma to R', G' and B'.
private typealias Colour = (r: Lanes, g: Lanes, b: Lanes)

@inline(__always)
private func mean(_ partA: Float, _ a: Colour, _ partB: Float, _ b: Colour) -> Colour {
    let (partA, partB) = (Lanes(partA), Lanes(partB))
    return (fma(a.r, partA, b.r * partB), fma(a.g, partA, b.g * partB), fma(a.b, partA, b.b * partB))
}

/// The factors of a loop, which then loads them once.
private struct Conversion {
    private let chroma, luma: Factors
    private let offsetR, offsetG, offsetB: Lanes
    private let signal: Camera.Matrix

    @inline(__always)
    init(_ matrix: ColourMatrix, _ axes: ChromaAxes) {
        signal = Camera.Matrix(axes)
        chroma = Factors(matrix.redInR[0], matrix.blueInG[0], matrix.redInG[0], matrix.blueInB[0])
        luma = Factors(matrix.lumaScale[0])
        (offsetR, offsetG, offsetB) = (matrix.offsetR, matrix.offsetG, matrix.offsetB)
    }

    /// Contribution of Cb and Cr.
    @inline(__always)
    func colour(_ blue: Lanes, _ red: Lanes) -> Colour {
        (
            fma(chroma.first, red, offsetR),
            fma(chroma.second, blue, fma(chroma.third, red, offsetG)),
            fma(chroma.fourth, blue, offsetB)
        )
    }

    /// Y, I and Q from luma and the contribution of chroma.
    ///
    /// Codes can be outside the nominal range or outside the R'G'B' cube, so the values are clamped.
    @inline(__always)
    func yiq(_ y: Lanes, _ colour: Colour) -> (Lanes, Lanes, Lanes) {
        signal.yiq(
            clamped(fma(luma.first, y, colour.r), to: Lanes(1)), clamped(fma(luma.first, y, colour.g), to: Lanes(1)),
            clamped(fma(luma.first, y, colour.b), to: Lanes(1)))
    }
}
