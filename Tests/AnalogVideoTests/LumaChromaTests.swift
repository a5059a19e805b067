import AnalogVideoModel
import AnalogVideoPlayer
import SignalSupport
import Testing

/// Tests requirements on the player for Y'CbCr formats, for any settings.
struct LumaChromaTests {
    /// Sizes whose fields are whole blocks of 8 or 16 rows, or have one row less or more.
    private static let sizes = [
        (1, 1), (1, 2), (2, 1), (2, 2), (3, 5), (7, 9), (8, 8), (3, 15), (2, 16), (9, 17), (5, 31), (4, 32), (7, 33),
        (18, 40), (3, 63), (2, 64), (3, 65), (1, 70),
    ]
    private static let scans = [
        Scan.progressive, .interlaced(topFieldFirst: true), .interlaced(topFieldFirst: false), .oneField(isTop: true),
        .oneField(isTop: false), .separateField(isSecond: true, isTop: false),
    ]

    private static func everything(_ useField: UseField) throws -> NTSCSettings {
        var settings = try GoldenFiles.settings("presets/everything.json")
        settings.useField = useField
        return settings
    }

    /// Pictures are changed in place, and a row of chroma can belong to rows of two bands or two fields.
    @Test(arguments: UseField.allCases, PixelFormat.allYUV)
    func resultDoesNotDependOnNumberOfBands(useField: UseField, format: PixelFormat) throws {
        var plain = NTSCSettings()
        plain.useField = useField
        var bare = plain
        bare.vhsChromaVertBlend = false
        var late = try Self.everything(useField)
        late.chromaDelayVertical = -7
        var input = PlanarPicture(format, 20, 277)
        for (name, settings) in [("plain", plain), ("bare", bare), ("late", late)] {
            for isCosited in [false, true] {
                input.colour.isCositedVertically = isCosited
                for scan in [Scan.progressive, .interlaced(topFieldFirst: true), .oneField(isTop: false)] {
                    for variant in GoldenFrameTests.variants {
                        let alone = input.played(settings, variant, scan: scan)
                        for bands in [2, 3, 4] {
                            let runner = ConcurrentRunner()
                            let played = input.played(settings, variant, bands: bands, runner, scan: scan)
                            try #require(runner.bands == bands, "\(name), \(scan), \(variant)")
                            // Swift Testing takes minutes to compute the difference of arrays, so a Boolean is tested.
                            let isSame = played.planes == alone.planes
                            #expect(isSame, "\(name), cosited: \(isCosited), \(scan), \(bands) bands, \(variant)")
                        }
                    }
                }
            }
        }
    }

    /// The builds for AVX2 and AVX-512 differ only in the number of rows in a block.
    @Test(.enabled(if: PlayerVariant.avx512.isSupported), arguments: UseField.allCases, PixelFormat.allYUV)
    func sixteenRowsInABlockGiveTheFramesOfEight(useField: UseField, format: PixelFormat) throws {
        var settings = NTSCSettings()
        settings.useField = useField
        for (name, settings) in [("plain", settings), ("everything", try Self.everything(useField))] {
            for (size, scan) in Self.sizes.flatMap({ size in Self.scans.map { (size, $0) } }) {
                var input = PlanarPicture(format, size.0, size.1)
                input.colour.isCositedVertically = size.0 & 1 == 1
                let expected = input.played(settings, .avx2, scan: scan)
                let isSame = input.played(settings, .avx512, scan: scan).planes == expected.planes
                #expect(isSame, "\(name), \(size), \(scan)")
            }
        }
    }

    /// Tests that sweeps have the same result as separate stages in pictures of all sizes.
    @Test(arguments: sizes, PixelFormat.allYUV)
    func everySizeIsPlayed(size: (Int, Int), format: PixelFormat) throws {
        for useField in UseField.allCases {
            let settings = try Self.everything(useField)
            for scan in Self.scans {
                for variant in GoldenFrameTests.variants {
                    var input = PlanarPicture(format, size.0, size.1)
                    input.colour.isCositedHorizontally = size.0 & 1 == 1
                    let played = input.played(settings, variant, scan: scan)
                    let separate = input.played(settings, variant, scan: scan, probe: StageProbe())
                    let isSame = played.planes == separate.planes
                    #expect(isSame, "\(useField), \(scan), \(variant)")
                }
            }
        }
    }

    /// Tests that gaps between rows and a bottom-up order do not change the result, and that other bytes do not change.
    @Test(arguments: PixelFormat.allYUV, [1, 4, 13])
    func onlyThePictureIsWritten(format: PixelFormat, gap: Int) throws {
        let settings = try Self.everything(.interleavedUpper)
        let expected = PlanarPicture(format, 19, 21).played(settings).rows
        for isUpsideDown in [false, true] {
            let played = PlanarPicture(format, 19, 21, gap: gap, isUpsideDown: isUpsideDown).played(settings)
            let isSame = played.rows == expected
            #expect(isSame)
            #expect(played.rest.allSatisfy { $0 == PlanarPicture.padding })
        }
    }

    /// Tests that alpha does not change, and that unused bits of a sample are 0.
    @Test func alphaIsUnchanged() {
        let input = PlanarPicture(.ayuv, 13, 11)
        let played = input.played(NTSCSettings())
        for index in stride(from: 0, to: input.planes[0].count, by: 4) {
            #expect(played.planes[0][index] == input.planes[0][index])
        }
        let deep = PlanarPicture(.p010, 13, 11).played(NTSCSettings())
        for index in stride(from: 0, to: deep.planes[0].count, by: 2) { #expect(deep.planes[0][index] & 0x3F == 0) }
    }

    /// Tests that the order in which components are stored does not change the result.
    @Test(arguments: [
        (PixelFormat.i420, PixelFormat.yv12, [0, 2, 1]), (.i420, .i420, [0, 1, 2]),
    ])
    func planesMayHaveAnyOrder(one: PixelFormat, other: PixelFormat, order: [Int]) {
        let input = PlanarPicture(one, 30, 34)
        var swapped = PlanarPicture(other, 30, 34)
        swapped.planes = order.map { input.planes[$0] }
        let (played, expected) = (swapped.played(NTSCSettings()), input.played(NTSCSettings()))
        let isSame = played.planes == order.map { expected.planes[$0] }
        #expect(isSame)
    }

    @Test(arguments: [(PixelFormat.nv12, 0), (.nv21, 1)])
    func chromaMayBeInterleaved(format: PixelFormat, offset: Int) {
        let input = PlanarPicture(.i420, 30, 34)
        var woven = PlanarPicture(format, 30, 34)
        woven.planes[0] = input.planes[0]
        for index in input.planes[1].indices {
            woven.planes[1][index * 2 + offset] = input.planes[1][index]
            woven.planes[1][index * 2 + (1 - offset)] = input.planes[2][index]
        }
        let (played, expected) = (woven.played(NTSCSettings()), input.played(NTSCSettings()))
        let isSame = played.planes[0] == expected.planes[0]
        #expect(isSame)
        for index in input.planes[1].indices {
            #expect(played.planes[1][index * 2 + offset] == expected.planes[1][index])
            #expect(played.planes[1][index * 2 + (1 - offset)] == expected.planes[2][index])
        }
    }

    /// The four bytes of two pixels are two samples of luma and two of chroma.
    @Test(arguments: [
        (PixelFormat.yuy2, [0, 2], 1, 3), (.yvyu, [0, 2], 3, 1), (.uyvy, [1, 3], 0, 2), (.vyuy, [1, 3], 2, 0),
    ])
    func allComponentsMayBeInOnePlane(format: PixelFormat, luma: [Int], blue: Int, red: Int) {
        let input = PlanarPicture(.y42b, 30, 34)
        var woven = PlanarPicture(format, 30, 34)
        func weave(_ planes: [[UInt8]]) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: planes[1].count * 4)
            for pair in planes[1].indices {
                for (pixel, place) in luma.enumerated() { bytes[pair * 4 + place] = planes[0][pair * 2 + pixel] }
                (bytes[pair * 4 + blue], bytes[pair * 4 + red]) = (planes[1][pair], planes[2][pair])
            }
            return bytes
        }
        woven.planes[0] = weave(input.planes)
        let isSame = woven.played(NTSCSettings()).planes[0] == weave(input.played(NTSCSettings()).planes)
        #expect(isSame)
    }

    /// A grey picture in a colour format differs from `gray8` only by chroma noise, which does not affect luma.
    @Test func gray8EqualsLumaOfAGreyPicture() {
        var settings = NTSCSettings()
        settings.chromaNoise = false
        settings.chromaPhaseNoiseIntensity = 0
        var grey = PlanarPicture(.gray8, 40, 30)
        grey.colour.isFullRange = true
        var colour = PlanarPicture(.y444, 40, 30)
        colour.colour.isFullRange = true
        colour.planes[0] = grey.planes[0]
        colour.planes[1] = colour.planes[1].map { _ in 128 }
        colour.planes[2] = colour.planes[1]
        let (one, other) = (grey.played(settings).planes[0], colour.played(settings).planes[0])
        // Colours that composite noise moves out of range are clamped in R'G'B', which changes luma.
        let differing = zip(one, other).filter { abs(Int($0) - Int($1)) > 2 }.count
        #expect(differing < one.count / 20)
    }
}
