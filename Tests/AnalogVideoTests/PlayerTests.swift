import AnalogVideoModel
import AnalogVideoPlayer
import SignalSupport
import Testing

/// Tests requirements on every player, for any settings.
struct PlayerTests {
    /// Sizes whose fields are whole blocks of 8 or 16 rows, or have one row less or more.
    private static let sizes = [
        (1, 1), (1, 2), (2, 1), (3, 5), (7, 9), (8, 8), (3, 15), (2, 16), (9, 17), (5, 31), (4, 32), (7, 33), (17, 40),
        (3, 63), (2, 64), (3, 65), (1, 70), (70, 1),
    ]

    private static func everything(_ useField: UseField) throws -> NTSCSettings {
        var settings = try GoldenFiles.settings("presets/everything.json")
        settings.useField = useField
        settings.chromaDelayVertical = -7
        return settings
    }

    @Test(arguments: UseField.allCases, GoldenFrameTests.variants)
    func resultDoesNotDependOnNumberOfBands(useField: UseField, variant: PlayerVariant) throws {
        var defaults = NTSCSettings()
        defaults.useField = useField
        let layout = PictureLayout(format: .bgrx, width: 45, height: 471, stride: 45 * 4)
        var pal = defaults
        (pal.standard, pal.chromaPhaseError, pal.chromaDemodulation) = (.pal, 0.05, .twoLineComb)
        var palWithoutBlend = pal
        (palWithoutBlend.vhsChromaVertBlend, palWithoutBlend.chromaDemodulation) = (false, .notch)
        var copies = pal
        copies.generations = 8
        var combinedCopies = defaults
        (combinedCopies.generations, combinedCopies.ycRecombinations) = (8, 1)
        var combinedCopiesOfPAL = copies
        combinedCopiesOfPAL.ycRecombinations = 1
        for settings in [
            defaults, pal, palWithoutBlend, try Self.everything(useField), copies, combinedCopies, combinedCopiesOfPAL,
        ] {
            for scan in [Scan.progressive, .interlaced(topFieldFirst: false)] {
                let alone = play(layout, settings, variant, bands: 1, SerialRunner(), scan: scan)
                for bands in [2, 3, 4, 7, 64] {
                    let runner = ConcurrentRunner()
                    let isSame = play(layout, settings, variant, bands: bands, runner, scan: scan) == alone
                    #expect(isSame, "\(bands) bands")
                    // A band has at least 32 rows of each field, so seven bands are possible. Eight recordings of PAL
                    // read 17 rows above and those of the comb, which are at most 48 in blocks of 16 rows.
                    let least = settings.generations > 1 && settings.standard == .pal ? 5 : 7
                    #expect((min(bands, least)...min(bands, 7)).contains(runner.bands), "\(runner.bands) of \(bands)")
                }
            }
        }
    }

    /// Tests that a player, which keeps the signal paths of its last picture, makes the same frames as a new player.
    @Test(arguments: GoldenFiles.presets, GoldenFrameTests.variants)
    func keptPathsGiveTheFramesOfNewOnes(preset: String, variant: PlayerVariant) throws {
        var settings = try GoldenFiles.settings(preset)
        let layout = PictureLayout(format: .bgrx, width: 51, height: 90, stride: 51 * 4)
        let kept = try #require(makePlayer(width: 51, height: 90, variant: variant))
        let one = SerialRunner()
        for scan in [Scan.progressive, .interlaced(topFieldFirst: false), .oneField(isTop: false)] {
            for frame: UInt64 in [4, 5, 5, 9] {
                let new = play(layout, settings, variant, bands: 1, one, frame: frame, scan: scan)
                let same = play(layout, settings, variant, bands: 1, one, frame: frame, scan: scan, on: kept) == new
                #expect(same, "frame \(frame), \(scan)")
            }
            settings.randomSeed += 1
        }
    }

    /// Tests that sweeps, which the element uses, have the same result as separate stages, which the stage tests use.
    @Test(arguments: GoldenFiles.presets, GoldenFrameTests.variants)
    func sweepsDoNotChangeTheResult(preset: String, variant: PlayerVariant) throws {
        let settings = try GoldenFiles.settings(preset)
        let layout = PictureLayout(format: .bgrx, width: 51, height: 90, stride: 51 * 4)
        let together = play(layout, settings, variant, bands: 1, SerialRunner())
        #expect(play(layout, settings, variant, bands: 1, SerialRunner(), probe: StageProbe()) == together)
    }

    /// The builds for AVX2 and AVX-512 differ only in the number of rows in a block.
    @Test(
        .enabled(if: PlayerVariant.avx512.isSupported), arguments: GoldenFiles.presets,
        [16, 31, 32, 33, 64, 65, 90, 471])
    func sixteenRowsInABlockGiveTheFramesOfEight(preset: String, height: Int) throws {
        var settings = try GoldenFiles.settings(preset)
        let layout = PictureLayout(format: .bgrx, width: 51, height: height, stride: 51 * 4)
        for useField in UseField.allCases {
            settings.useField = useField
            let frame = play(layout, settings, .avx2, bands: 1, SerialRunner())
            #expect(play(layout, settings, .avx512, bands: 1, SerialRunner()) == frame, "\(useField)")
        }
    }

    /// Tests that the result is the same in all formats; of 16-bit formats, only the upper 8 bits are compared.
    @Test func resultDoesNotDependOnTheFormat() throws {
        let settings = try Self.everything(.interleavedUpper)
        let (width, height) = (13, 11)
        let rgbx = Self.played(.rgbx, width, height, settings)
        for format in PixelFormat.allRGB where format != .rgbx {
            let other = Self.played(format, width, height, settings)
            let allowed = format.bytesPerPixel == 8 ? 1 : 0
            for (one, two) in zip(rgbx, other) { #expect(abs(one - two) <= allowed, "\(format)") }
        }
    }

    /// Tests that sweeps have the same result as separate stages in pictures of all sizes.
    @Test(arguments: sizes, UseField.allCases)
    func everySizeIsPlayed(size: (Int, Int), useField: UseField) throws {
        let settings = try Self.everything(useField)
        for format in PixelFormat.allRGB {
            let layout = PictureLayout(
                format: format, width: size.0, height: size.1, stride: size.0 * format.bytesPerPixel)
            for variant in GoldenFrameTests.variants {
                let played = play(layout, settings, variant, bands: 1, SerialRunner())
                let separate = play(layout, settings, variant, bands: 1, SerialRunner(), probe: StageProbe())
                let isSame = played == separate
                #expect(isSame, "\(format), \(variant)")
            }
        }
    }

    @Test func onlyThePictureIsWritten() throws {
        let settings = try Self.everything(.interleavedUpper)
        let tight = PictureLayout(format: .rgb, width: 13, height: 11, stride: 39)
        let loose = PictureLayout(format: .rgb, width: 13, height: 11, firstRow: 5, stride: 47)
        let upsideDown = PictureLayout(format: .rgb, width: 13, height: 11, firstRow: 470, stride: -47)
        let expected = play(tight, settings, .best, bands: 1, SerialRunner())
        for layout in [loose, upsideDown] {
            var bytes = [UInt8](repeating: 99, count: 600)
            for y in 0..<11 {
                for x in 0..<39 {
                    bytes[layout.planes[0].firstRow + y * layout.planes[0].stride + x] = Self.pattern(y * 39 + x)
                }
            }
            var span = bytes.mutableSpan
            makePlayer(width: 13, height: 11)?.play(
                &span, layout: layout, frame: 9, scan: .progressive, settings: settings, bands: 1,
                runner: SerialRunner())
            for y in 0..<11 {
                for x in 0..<39 {
                    let index = layout.planes[0].firstRow + y * layout.planes[0].stride + x
                    #expect(bytes[index] == expected[y * 39 + x])
                    bytes[index] = 99
                }
            }
            #expect(bytes.allSatisfy { $0 == 99 })
        }
    }

    @Test func pictureLargerThanMemoryIsRefused() {
        #expect(makePlayer(width: .max / 64, height: 8) == nil)
        #expect(makePlayer(width: 1 << 40, height: 1 << 10) == nil)
    }

    @Test func layoutOutsideThePlanesIsRefused() throws {
        var bytes = [UInt8](repeating: 7, count: 100)
        let player = try #require(makePlayer(width: 5, height: 6))
        for layout in [
            PictureLayout(format: .rgbx, width: 5, height: 6, stride: 20),
            PictureLayout(format: .rgbx, width: 5, height: 7, stride: 2),
            PictureLayout(format: .rgbx, width: 4, height: 6, stride: 16),
        ] {
            var span = bytes.mutableSpan
            let isPlayed = player.play(
                &span, layout: layout, frame: 0, scan: .progressive, settings: NTSCSettings(), bands: 1,
                runner: SerialRunner())
            #expect(!isPlayed)
        }
        #expect(bytes.allSatisfy { $0 == 7 })
    }

    /// Tests that the result does not depend on the number of bands if one setting or all settings are extreme.
    @Test(arguments: GoldenFrameTests.variants)
    func extremeSettingsArePlayed(variant: PlayerVariant) throws {
        // This height permits two bands in every mode.
        let layout = PictureLayout(format: .bgrx, width: 37, height: 137, stride: 37 * 4)
        let base = try Self.everything(.interleavedUpper)
        var together = [base, base]
        for row in SettingRow.all {
            for (index, value) in [-1e30, 1e30].enumerated() {
                var alone = base
                row.store(value, in: &alone)
                row.store(value, in: &together[index])
                let runner = ConcurrentRunner()
                let played = play(layout, alone, variant, bands: 2, runner, frame: .max)
                let isSame = played == play(layout, alone, variant, bands: 1, SerialRunner(), frame: .max)
                #expect(isSame, "\(row.key)")
                // A picture is not divided into bands if each block depends on most of the picture.
                let reachesFar = ["chroma_delay_vertical", "vertical_scale"].contains(row.key)
                #expect(runner.bands == 2 || reachesFar, "\(row.key)")
            }
        }
        for settings in together {
            let played = play(layout, settings, variant, bands: 2, ConcurrentRunner())
            let isSame = played == play(layout, settings, variant, bands: 1, SerialRunner())
            #expect(isSame)
        }
    }

    private func play(
        _ layout: PictureLayout, _ settings: NTSCSettings, _ variant: PlayerVariant, bands: Int,
        _ runner: any BandRunner, frame: UInt64 = 9, scan: Scan = .progressive, probe: StageProbe? = nil,
        on kept: NTSCPlayer? = nil
    ) -> [UInt8] {
        var bytes = (0..<(layout.height * layout.planes[0].stride)).map(Self.pattern)
        let new = { makePlayer(width: layout.width, height: layout.height, variant: variant, probe: probe) }
        guard let player = kept ?? new() else {
            Issue.record("no player")
            return []
        }
        player.reserve(bands: bands)
        var span = bytes.mutableSpan
        let isPlayed = player.play(
            &span, layout: layout, frame: frame, scan: scan, settings: settings, bands: bands, runner: runner)
        #expect(isPlayed)
        return bytes
    }

    private static func pattern(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: (index &* 37) ^ (index >> 3)) }

    /// Red, green and blue of every pixel in 8 bits, after a picture with the test pattern was played.
    private static func played(_ format: PixelFormat, _ width: Int, _ height: Int, _ settings: NTSCSettings) -> [Int] {
        let places = componentBytes(of: format)
        let size = format.bytesPerPixel
        var bytes = [UInt8](repeating: 0x5A, count: width * height * size)
        for pixel in 0..<(width * height) {
            for component in 0..<3 {
                // A 16-bit component with two equal bytes has the same value as the 8-bit component.
                for place in places[component] { bytes[pixel * size + place] = pattern(pixel * 3 + component) }
            }
        }
        var span = bytes.mutableSpan
        makePlayer(width: width, height: height)?.play(
            &span, layout: PictureLayout(format: format, width: width, height: height, stride: width * size), frame: 9,
            scan: .progressive, settings: settings, bands: 1, runner: SerialRunner())
        return (0..<(width * height * 3)).map { index in Int(bytes[(index / 3) * size + places[index % 3][0]]) }
    }

    /// Offsets of red, green and blue in a pixel, the more significant byte first.
    private static func componentBytes(of format: PixelFormat) -> [[Int]] {
        let name = format.rawValue.lowercased()
        let letters = Array(name.prefix { $0 != "6" && $0 != "_" })
        return (["r", "g", "b"] as [Character]).map { component in
            let place = letters.firstIndex(of: component) ?? 0
            guard format.bytesPerPixel == 8 else { return [place] }
            return name.hasSuffix("_be") ? [place * 2, place * 2 + 1] : [place * 2 + 1, place * 2]
        }
    }
}
