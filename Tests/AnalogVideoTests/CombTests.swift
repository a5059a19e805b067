import AnalogVideoModel
import AnalogVideoPlayer
import SignalSupport
import Testing

/// Comb filters and the vertical chroma delay, which read rows of other blocks: docs/NTSC.md, "Demodulation".
///
/// The heights give fields that end within a block, at the end of a block of 8 rows, and of a block of 16 rows.
struct CombTests {
    private static let heights = [4, 18, 31, 32, 48, 64, 97]
    private static let width = 13

    /// A missing row above is replaced by the row below at the same distance, and the reverse.
    ///
    /// The distance is 1 in NTSC, and 2 in PAL.
    @Test(arguments: heights, GoldenFrameTests.variants)
    func lumaIsTheMeanWithNeighbours(height: Int, variant: PlayerVariant) throws {
        let kinds = [(ChromaDemodulation.twoLineComb, 0), (.twoLineComb, 5), (.oneLineComb, 0)]
        for (kind, delay, distance) in kinds.flatMap({ [($0.0, $0.1, 1), ($0.0, $0.1, 2)] }) {
            var settings = NTSCSettings()
            settings.standard = distance == 1 ? .ntsc : .pal
            (settings.chromaDemodulation, settings.chromaDelayVertical) = (kind, Int32(delay))
            for (field, planes) in try PlaneRecorder.planes(
                settings, width: Self.width, height: height, variant: variant
            ).enumerated() {
                let composite = try #require(planes[.trackingNoise])[0]
                let luma = try #require(planes[.lumaIntoChroma])[0]
                let rowCount = luma.count / Self.width
                // A lower field is played with the notch filter.
                guard rowCount >= 2 * distance else { continue }
                for row in 0..<rowCount {
                    let above = row < distance ? row + distance : row - distance
                    let below = row >= rowCount - distance ? row - distance : row + distance
                    for x in 0..<Self.width {
                        let (a, b, c) = (
                            try #require(composite[above * Self.width + x]),
                            try #require(composite[below * Self.width + x]),
                            try #require(composite[row * Self.width + x])
                        )
                        let mean = kind == .oneLineComb ? (a + c) * 0.5 : (c * 0.5 + a * 0.25) + b * 0.25
                        guard luma[row * Self.width + x] != mean else { continue }
                        Issue.record("\(kind), delay \(delay), \(settings.standard), field \(field), row \(row)")
                        return
                    }
                }
            }
        }
    }

    /// Tests that the sweep of comb filter, luma smear and ringing has the same planes as the separate stages.
    @Test(arguments: heights, GoldenFrameTests.variants)
    func sweepPlaysTheStages(height: Int, variant: PlayerVariant) throws {
        for (kind, delay, standard) in [
            (ChromaDemodulation.twoLineComb, 0, TelevisionStandard.ntsc), (.twoLineComb, 5, .ntsc),
            (.oneLineComb, -3, .ntsc), (.twoLineComb, 5, .pal),
        ] {
            var settings = NTSCSettings()
            settings.standard = standard
            (settings.chromaDemodulation, settings.chromaDelayVertical) = (kind, Int32(delay))
            let separate = try PlaneRecorder.planes(settings, width: Self.width, height: height, variant: variant)
            let fused = try PlaneRecorder.planes(
                settings, width: Self.width, height: height, variant: variant, allowsSweeps: true)
            for field in 0..<2 {
                // No pass ends at a stage within the sweep. A lower field of PAL is played with the notch filter instead.
                if standard == .ntsc || height >= 8 {
                    #expect(fused[field][.lumaIntoChroma] == nil && fused[field][.lumaSmear] == nil)
                }
                let (expected, found) = (try #require(separate[field][.ringing]), try #require(fused[field][.ringing]))
                for plane in 0..<3 {
                    #expect(
                        found[plane].map(\.?.bitPattern) == expected[plane].map(\.?.bitPattern),
                        "\(kind), delay \(delay), field \(field), plane \(plane)")
                }
            }
        }
    }

    /// Tests that a later displacement does not change from which rows of the composite signal chroma is computed.
    @Test(arguments: heights, GoldenFrameTests.variants)
    func chromaDoesNotDependOnItsDisplacement(height: Int, variant: PlayerVariant) throws {
        let kinds = ChromaDemodulation.allCases.flatMap { [($0, TelevisionStandard.ntsc), ($0, .pal)] }
        for (kind, standard) in kinds {
            var settings = NTSCSettings()
            (settings.chromaDemodulation, settings.standard) = (kind, standard)
            let still = try PlaneRecorder.planes(settings, width: Self.width, height: height, variant: variant)
            for delay in [-33, -17, -9, -8, -7, -1, 1, 7, 8, 9, 16, 40] {
                settings.chromaDelayVertical = Int32(delay)
                let moved = try PlaneRecorder.planes(settings, width: Self.width, height: height, variant: variant)
                for field in 0..<2 {
                    let expected = try #require(still[field][.lumaIntoChroma])
                    let found = try #require(moved[field][.lumaIntoChroma])
                    let rows = expected[1].count / Self.width
                    var seen = 0
                    for plane in 1...2 {
                        for (one, two) in zip(found[plane], expected[plane]) {
                            guard let one else { continue }
                            seen += 1
                            if one != two { Issue.record("\(kind), \(standard), delay \(delay), field \(field)") }
                        }
                    }
                    #expect(seen >= 2 * Self.width * max(0, rows - abs(delay)), "\(kind), delay \(delay)")
                }
            }
        }
    }
}
