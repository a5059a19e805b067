import AnalogVideoModel
import AnalogVideoPlayer
import Dispatch
import Testing

/// What every player must do, whatever the settings.
struct PlayerTests {
    private static let sizes = [(1, 1), (1, 2), (2, 1), (3, 5), (7, 9), (8, 8), (9, 17), (17, 40), (1, 70), (70, 1)]

    /// Bands in reverse and beside each other: the order in which they run must not show.
    private struct ConcurrentRunner: BandRunner {
        func run(_ work: BandWork, bands: Int) {
            nonisolated(unsafe) let work = work
            DispatchQueue.concurrentPerform(iterations: bands) { unsafe work.perform(band: (bands - 1) - $0) }
        }
    }

    private static func everything(_ useField: UseField) throws -> NTSCSettings {
        var settings = try GoldenFiles.settings("presets/everything.json")
        settings.useField = useField
        settings.chromaDelayVertical = -7
        return settings
    }

    @Test(arguments: UseField.allCases, GoldenFrameTests.variants)
    func numberOfBandsDoesNotShow(useField: UseField, variant: PlayerVariant) throws {
        let settings = try Self.everything(useField)
        let layout = PictureLayout(format: .bgrx, width: 45, height: 171, stride: 45 * 4)
        let alone = play(layout, settings, variant, bands: 1, SerialRunner())
        for bands in [2, 3, 4, 7, 64] {
            #expect(play(layout, settings, variant, bands: bands, ConcurrentRunner()) == alone)
        }
    }

    @Test(arguments: sizes, UseField.allCases)
    func anySizeIsPlayed(size: (Int, Int), useField: UseField) throws {
        let settings = try Self.everything(useField)
        for format in PixelFormat.allCases {
            let layout = PictureLayout(
                format: format, width: size.0, height: size.1, stride: size.0 * format.bytesPerPixel)
            for variant in GoldenFrameTests.variants {
                _ = play(layout, settings, variant, bands: 2, SerialRunner())
            }
        }
    }

    @Test func onlyThePictureIsTouched() throws {
        let settings = try Self.everything(.interleavedUpper)
        let tight = PictureLayout(format: .rgb, width: 13, height: 11, stride: 39)
        let loose = PictureLayout(format: .rgb, width: 13, height: 11, firstRow: 5, stride: 47)
        let upsideDown = PictureLayout(format: .rgb, width: 13, height: 11, firstRow: 470, stride: -47)
        let expected = play(tight, settings, .best, bands: 1, SerialRunner())
        for layout in [loose, upsideDown] {
            var bytes = [UInt8](repeating: 99, count: 600)
            for y in 0..<11 {
                for x in 0..<39 { bytes[layout.firstRow + y * layout.stride + x] = Self.pattern(y * 39 + x) }
            }
            var span = bytes.mutableSpan
            makePlayer(width: 13, height: 11).play(
                &span, layout: layout, frame: 9, scan: .progressive, settings: settings, bands: 1,
                runner: SerialRunner())
            for y in 0..<11 {
                for x in 0..<39 {
                    let index = layout.firstRow + y * layout.stride + x
                    #expect(bytes[index] == expected[y * 39 + x])
                    bytes[index] = 99
                }
            }
            #expect(bytes.allSatisfy { $0 == 99 })
        }
    }

    @Test func aLayoutThatDoesNotFitIsRefused() {
        var bytes = [UInt8](repeating: 7, count: 100)
        let player = makePlayer(width: 5, height: 6)
        for layout in [
            PictureLayout(format: .rgbx, width: 5, height: 6, stride: 20),
            PictureLayout(format: .rgbx, width: 5, height: 5, stride: 20),
            PictureLayout(format: .rgbx, width: 4, height: 6, stride: 16),
        ] {
            var span = bytes.mutableSpan
            player.play(
                &span, layout: layout, frame: 0, scan: .progressive, settings: NTSCSettings(), bands: 1,
                runner: SerialRunner())
        }
        #expect(bytes.allSatisfy { $0 == 7 })
    }

    /// The extremes of every setting, alone and together: nothing traps, and the picture is a picture.
    @Test(arguments: GoldenFrameTests.variants)
    func extremeSettingsDoNotTrap(variant: PlayerVariant) throws {
        let layout = PictureLayout(format: .bgrx, width: 37, height: 29, stride: 37 * 4)
        let base = try Self.everything(.interleavedUpper)
        var together = [base, base]
        for row in SettingRow.all {
            for (index, value) in [-1e30, 1e30].enumerated() {
                var alone = base
                row.store(value, in: &alone)
                row.store(value, in: &together[index])
                _ = play(layout, alone, variant, bands: 2, SerialRunner(), frame: .max)
            }
        }
        for settings in together { _ = play(layout, settings, variant, bands: 1, SerialRunner()) }
    }

    private func play(
        _ layout: PictureLayout, _ settings: NTSCSettings, _ variant: PlayerVariant, bands: Int,
        _ runner: any BandRunner, frame: UInt64 = 9
    ) -> [UInt8] {
        var bytes = (0..<(layout.height * layout.stride)).map(Self.pattern)
        let player = makePlayer(width: layout.width, height: layout.height, variant: variant)
        var span = bytes.mutableSpan
        player.play(
            &span, layout: layout, frame: frame, scan: .progressive, settings: settings, bands: bands, runner: runner)
        return bytes
    }

    private static func pattern(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: (index &* 37) ^ (index >> 3)) }
}
