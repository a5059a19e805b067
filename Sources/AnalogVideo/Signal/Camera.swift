/// Converts pixels of red, green and blue to luma and chroma, all rows of a block at the same time.
struct Camera {
    private let width: Int
    private let packing: PixelPacking
    private let scale: Lanes
    private let bytes: PixelBytes
    private let matrix: Matrix

    /// Conversion of R'G'B' to luma and chroma.
    struct Matrix {
        private let red, green, blue: Factors

        @inline(__always)
        init(_ axes: ChromaAxes) {
            red = Factors(0.299, axes.red.inI, axes.red.inQ)
            green = Factors(0.587, axes.green.inI, axes.green.inQ)
            blue = Factors(0.114, axes.blue.inI, axes.blue.inQ)
        }

        /// Y, I and Q of R'G'B', each from 0 to 1.
        @inline(__always)
        func yiq(_ r: Lanes, _ g: Lanes, _ b: Lanes) -> (Lanes, Lanes, Lanes) {
            (
                fma(red.first, r, fma(green.first, g, blue.first * b)),
                fma(red.second, r, fma(green.second, g, blue.second * b)),
                fma(red.third, r, fma(green.third, g, blue.third * b))
            )
        }
    }

    init(_ picture: Picture, _ axes: ChromaAxes) {
        matrix = Matrix(axes)
        width = picture.layout.width
        packing = PixelPacking(picture.layout.format)
        scale = Lanes(1 / Float(packing.maximum))
        bytes = PixelBytes(packing)
    }

    func convert(_ rows: RowStarts, luma planeY: inout Plane, _ planeI: inout Plane, _ planeQ: inout Plane) {
        let (startY, startI, startQ) = unsafe (planeY.start, planeI.start, planeQ.start)
        var luma = planeY.columns
        var chromaI = planeI.columns
        var chromaQ = planeQ.columns
        switch packing.bytesPerPixel {
        case 4:
            let whole = width < rowsPerBlock ? 0 : width
            guard whole <= luma.count, whole <= chromaI.count, whole <= chromaQ.count else { return }
            unsafe convertSquares(whole, rows, startY, startI, startQ)
            convert(FourBytes.self, from: whole, rows, &luma, &chromaI, &chromaQ)
        case 8: convert(EightBytes.self, from: 0, rows, &luma, &chromaI, &chromaQ)
        default: convert(ThreeBytes.self, from: 0, rows, &luma, &chromaI, &chromaQ)
        }
    }

    /// Converts the columns up to `end`, as many at a time as a block has rows; the last group can overlap another one.
    @inline(__always)
    private func convertSquares(
        _ end: Int, _ rows: RowStarts, _ luma: UnsafeMutablePointer<Lanes>, _ chromaI: UnsafeMutablePointer<Lanes>,
        _ chromaQ: UnsafeMutablePointer<Lanes>
    ) {
        for first in stride(from: 0, to: end, by: rowsPerBlock) {
            let x = min(first, end &- rowsPerBlock)
            // Unchecked, because three bounds checks for each column are a tenth of the cost.
            #if arch(arm64)
                var (y, i, q) = unsafe (Columns(luma + x), Columns(chromaI + x), Columns(chromaQ + x))
                transpose({ rows.pixels(x, $0) }, { column, pixels in (y[column], i[column], q[column]) = yiq(pixels) })
                unsafe y.store(to: luma + x)
                unsafe i.store(to: chromaI + x)
                unsafe q.store(to: chromaQ + x)
            #else
                let (y, i, q) = unsafe (luma + x, chromaI + x, chromaQ + x)
                transpose(
                    { rows.pixels(x, $0) },
                    { column, pixels in unsafe (y[column], i[column], q[column]) = yiq(pixels) })
            #endif
        }
    }

    /// Converts the columns from `first` on, one pixel of each row at a time.
    @inline(__always)
    @_lifetime(luma: copy luma)
    @_lifetime(chromaI: copy chromaI)
    @_lifetime(chromaQ: copy chromaQ)
    private func convert<Size: PixelSize>(
        _ size: Size.Type, from first: Int, _ rows: RowStarts, _ luma: inout MutableSpan<Lanes>,
        _ chromaI: inout MutableSpan<Lanes>, _ chromaQ: inout MutableSpan<Lanes>
    ) {
        for x in first..<width {
            var words = Block<UInt64>(repeating: 0)
            for lane in 0..<rowsPerBlock { words[lane] = rows.word(x, lane, size) }
            (luma[x], chromaI[x], chromaQ[x]) = yiq(
                packing.component(words, packing.redShift), packing.component(words, packing.greenShift),
                packing.component(words, packing.blueShift))
        }
    }

    @inline(__always)
    private func yiq(_ pixels: LaneBits) -> (Lanes, Lanes, Lanes) {
        let components = bytes.components(of: pixels)
        return yiq(components.red, components.green, components.blue)
    }

    @inline(__always)
    private func yiq(_ red: LaneBits, _ green: LaneBits, _ blue: LaneBits) -> (Lanes, Lanes, Lanes) {
        matrix.yiq(float(red) * scale, float(green) * scale, float(blue) * scale)
    }
}
