import Testing

@testable import AnalogVideo
@testable import AnalogVideoModel

/// Tests the siting of subsampled chroma.
struct ChromaSitingTests {
    /// Position of a row of chroma, in rows below the first row of its field.
    private func site(_ number: Int, isCosited: Bool, isInterlaced: Bool) -> Double {
        guard isInterlaced else { return Double(number) * 2 + (isCosited ? 0 : 0.5) }
        return Double(number / 2) * 2 + (isCosited ? 0 : number & 1 == 0 ? 0.25 : 0.75)
    }

    private func picture(isCosited: Bool, height: Int) -> Picture {
        var colour = ColourCoding.bt601
        colour.isCositedVertically = isCosited
        let layout = PictureLayout(
            format: .i420, width: 8, height: height,
            planes: [PlaneLayout(stride: 8), PlaneLayout(stride: 4), PlaneLayout(stride: 4)], colour: colour)
        return unsafe Picture(InlineArray(repeating: nil), layout: layout)
    }

    /// Tests that interpolation and mean preserve chroma that increases linearly from row to row.
    @Test(arguments: [false, true], [false, true])
    func interpolationAndMeanPreserveASlope(isCosited: Bool, isInterlaced: Bool) {
        let picture = picture(isCosited: isCosited, height: 40)
        for parity in 0..<(isInterlaced ? 2 : 1) {
            var rows = PictureRows()
            let step = isInterlaced ? 2 : 1
            for lane in 0..<rowsPerBlock { rows[lane] = (8 + lane) * step + parity }
            let places = ChromaRows(rows, picture, isInterlaced ? .interleaved : .progressive)
            var spread = Lanes(0)
            for lane in 0..<rowsPerBlock {
                guard let near = places.near[lane], let far = places.far[lane] else { continue }
                if isInterlaced { #expect(near & 1 == parity && far & 1 == parity) }
                let sites = [near, far].map { site($0, isCosited: isCosited, isInterlaced: isInterlaced) }
                spread[lane] = Float(sites[0]) * places.nearPart[lane] + Float(sites[1]) * places.farPart[lane]
            }
            #expect(spread == Lanes { 8 + Float($0) })

            guard var plane = Plane(width: 1) else { return }
            fill(&plane, spread)
            let mean = ChromaMean(rows, lower: nil, picture, isInterlaced ? .interleaved : .progressive)
            var above: [Float] = [7]
            mean.apply(to: &plane, rowAbove: &above, count: 1)
            #expect(above == [7 + Float(rowsPerBlock)])
            for lane in 0..<rowsPerBlock {
                guard let stored = mean.rows[lane] else { continue }
                #expect(lane & 1 == 0)
                #expect(
                    Double(plane.firstColumn[lane]) == site(stored, isCosited: isCosited, isInterlaced: isInterlaced))
            }
            #expect((0..<rowsPerBlock).filter { mean.rows[$0] != nil }.count == rowsPerBlock / 2)
        }
    }

    /// Each row of chroma belongs to one row of the upper field and one of the lower field.
    @Test(arguments: [false, true])
    func interpolationAndMeanOverBothFieldsPreserveASlope(isCosited: Bool) {
        let picture = picture(isCosited: isCosited, height: 40)
        var (upper, lower) = (PictureRows(), PictureRows())
        for lane in 0..<rowsPerBlock { (upper[lane], lower[lane]) = (16 + lane * 2, 17 + lane * 2) }
        guard var own = Plane(width: 1), var next = Plane(width: 1) else { return }
        fill(&own, Lanes { 16 + 2 * Float($0) })
        fill(&next, Lanes { 17 + 2 * Float($0) })
        let mean = ChromaMean(upper, lower: lower, picture, .progressive)
        var above: [Float] = [15]
        mean.apply(to: &own, lower: next, rowAbove: &above, count: 1)
        for lane in 0..<rowsPerBlock {
            #expect(mean.rows[lane] == 8 + lane)
            #expect(Double(own.firstColumn[lane]) == site(8 + lane, isCosited: isCosited, isInterlaced: false))
        }
    }

    private func fill(_ plane: inout Plane, _ column: Lanes) {
        var columns = plane.columns
        columns[0] = column
    }

    /// Tests that only existing rows are read and written at the edges of a picture.
    @Test(arguments: 1...20, [false, true])
    func onlyExistingRowsAreAccessed(height: Int, isInterlaced: Bool) {
        let picture = picture(isCosited: false, height: height)
        for first in stride(from: 0, to: height, by: rowsPerBlock) {
            var rows = PictureRows()
            for lane in 0..<rowsPerBlock where first + lane < height { rows[lane] = first + lane }
            let places = ChromaRows(rows, picture, isInterlaced ? .interleaved : .progressive)
            let mean = ChromaMean(rows, lower: nil, picture, isInterlaced ? .interleaved : .progressive)
            for lane in 0..<rowsPerBlock {
                for row in [places.near[lane], places.far[lane], mean.rows[lane]] {
                    #expect(row.map { (0..<((height + 1) / 2)).contains($0) } ?? true)
                }
            }
        }
    }
}

/// Compares codes of luma and chroma with the R'G'B' that they represent.
struct ColourMatrixTests {
    private static let codings: [(name: String, red: Double, blue: Double)] = [
        ("601", 0.299, 0.114), ("709", 0.2126, 0.0722), ("2020", 0.2627, 0.0593),
    ]

    @Test(arguments: codings.indices, [(false, 8), (true, 8), (false, 10), (true, 10)])
    func coefficientsEqualTheStandards(coding: Int, range: (isFull: Bool, depth: Int)) {
        let (_, kr, kb) = Self.codings[coding]
        let matrix = ColourMatrix(
            ColourCoding(redWeight: kr, blueWeight: kb, isFullRange: range.isFull), depth: range.depth)
        let unit = Double(1 << (range.depth - 8))
        let largest = Double((1 << range.depth) - 1)
        let (black, lumaRange) = range.isFull ? (0, largest) : (16 * unit, 219 * unit)
        let chromaRange = range.isFull ? largest : 224 * unit
        for (r, g, b) in [(0.0, 0.0, 0.0), (1, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.2, 0.7, 0.4)] {
            let y = kr * r + (1 - kr - kb) * g + kb * b
            let luma = Float(black + y * lumaRange)
            let blue = Float(128 * unit + (b - y) / (2 * (1 - kb)) * chromaRange)
            let red = Float(128 * unit + (r - y) / (2 * (1 - kr)) * chromaRange)

            func colour(_ parts: (blue: Lanes, red: Lanes, offset: Lanes)) -> Double {
                Double(((luma * matrix.lumaScale) + (blue * parts.blue) + (red * parts.red) + parts.offset)[0])
            }
            #expect(abs(colour((Lanes(0), matrix.redInR, matrix.offsetR)) - r) < 1e-5)
            #expect(abs(colour((matrix.blueInG, matrix.redInG, matrix.offsetG)) - g) < 1e-5)
            #expect(abs(colour((matrix.blueInB, Lanes(0), matrix.offsetB)) - b) < 1e-5)

            let parts = Float(r) * matrix.redInLuma + Float(g) * matrix.greenInLuma + Float(b) * matrix.blueInLuma
            #expect(abs((parts + matrix.black)[0] - luma) < 0.001)
            #expect(abs(Float(b - y) * matrix.lumaRange[0] * matrix.blueScale[0] + matrix.grey[0] - blue) < 0.001)
            #expect(abs(Float(r - y) * matrix.lumaRange[0] * matrix.redScale[0] + matrix.grey[0] - red) < 0.001)
        }
    }
}
