import AnalogVideoModel
import AnalogVideoPlayer
import Testing

/// Pictures of luma and chroma, whatever the settings.
struct LumaChromaTests {
    private static let sizes = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 5), (7, 9), (8, 8), (9, 17), (18, 40), (1, 70)]
    private static let scans = [
        Scan.progressive, .interlaced(topFieldFirst: true), .interlaced(topFieldFirst: false), .oneField(isTop: true),
        .oneField(isTop: false), .separateField(isSecond: true, isTop: false),
    ]

    private static func everything(_ useField: UseField) throws -> NTSCSettings {
        var settings = try GoldenFiles.settings("presets/everything.json")
        settings.useField = useField
        return settings
    }

    /// A picture is played in place, and a row of chroma stands for rows of two bands and of two fields.
    @Test(arguments: UseField.allCases, PixelFormat.allYUV)
    func numberOfBandsDoesNotShow(useField: UseField, format: PixelFormat) throws {
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
                    let alone = input.played(settings, scan: scan)
                    for bands in [2, 3, 4] {
                        let played = input.played(settings, bands: bands, ConcurrentRunner(), scan: scan)
                        // Of unequal arrays the test would look for the fewest changes, for minutes.
                        let isSame = played.planes == alone.planes
                        #expect(isSame, "\(name), \(isCosited ? "cosited, " : "")\(scan), \(bands) bands")
                    }
                }
            }
        }
    }

    @Test(arguments: sizes, PixelFormat.allYUV)
    func anySizeIsPlayed(size: (Int, Int), format: PixelFormat) throws {
        for useField in UseField.allCases {
            let settings = try Self.everything(useField)
            for scan in Self.scans {
                for variant in GoldenFrameTests.variants {
                    var input = PlanarPicture(format, size.0, size.1)
                    input.colour.isCositedHorizontally = size.0 & 1 == 1
                    let played = input.played(settings, variant, bands: 2, scan: scan)
                    let isSame = played.planes == input.played(settings, variant, scan: scan).planes
                    #expect(isSame, "\(useField), \(scan), \(variant)")
                }
            }
        }
    }

    /// Rows that lie apart, or upside down: the same picture, and nothing else is touched.
    @Test(arguments: PixelFormat.allYUV, [1, 4, 13])
    func onlyThePictureIsTouched(format: PixelFormat, gap: Int) throws {
        let settings = try Self.everything(.interleavedUpper)
        let expected = PlanarPicture(format, 19, 21).played(settings).rows
        for isUpsideDown in [false, true] {
            let played = PlanarPicture(format, 19, 21, gap: gap, isUpsideDown: isUpsideDown).played(settings)
            let isSame = played.rows == expected
            #expect(isSame)
            #expect(played.rest.allSatisfy { $0 == PlanarPicture.padding })
        }
    }

    /// Alpha stays, and the bits that a number does not use are 0.
    @Test func alphaStays() {
        let input = PlanarPicture(.ayuv, 13, 11)
        let played = input.played(NTSCSettings())
        for index in stride(from: 0, to: input.planes[0].count, by: 4) {
            #expect(played.planes[0][index] == input.planes[0][index])
        }
        let deep = PlanarPicture(.p010, 13, 11).played(NTSCSettings())
        for index in stride(from: 0, to: deep.planes[0].count, by: 2) { #expect(deep.planes[0][index] & 0x3F == 0) }
    }

    /// The same components, however they are stored.
    @Test(arguments: [
        (PixelFormat.i420, PixelFormat.yv12, [0, 2, 1]), (.i420, .i420, [0, 1, 2]),
    ])
    func planesMayComeInAnyOrder(one: PixelFormat, other: PixelFormat, order: [Int]) {
        let input = PlanarPicture(one, 30, 34)
        var swapped = PlanarPicture(other, 30, 34)
        swapped.planes = order.map { input.planes[$0] }
        let (played, expected) = (swapped.played(NTSCSettings()), input.played(NTSCSettings()))
        let isSame = played.planes == order.map { expected.planes[$0] }
        #expect(isSame)
    }

    @Test(arguments: [(PixelFormat.nv12, 0), (.nv21, 1)])
    func chromaMayLieInOnePlane(format: PixelFormat, offset: Int) {
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

    /// Of four bytes for two pixels, two are luma and two are chroma.
    @Test(arguments: [
        (PixelFormat.yuy2, [0, 2], 1, 3), (.yvyu, [0, 2], 3, 1), (.uyvy, [1, 3], 0, 2), (.vyuy, [1, 3], 2, 0),
    ])
    func allComponentsMayLieInOnePlane(format: PixelFormat, luma: [Int], blue: Int, red: Int) {
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

    /// Grey has no colour, in any format: what it becomes differs by the noise of chroma alone, which luma does not see.
    @Test func lumaAloneIsTheLumaOfAGreyPicture() {
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
        // Colours that the composite signal's noise moves out of range are clamped in R'G'B'.
        let differing = zip(one, other).filter { abs(Int($0) - Int($1)) > 2 }.count
        #expect(differing < one.count / 20)
    }
}
