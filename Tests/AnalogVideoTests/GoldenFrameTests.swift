import AnalogVideoModel
import AnalogVideoPlayer
import Testing

/// Comparison of every golden frame with the result of each build of the signal code.
struct GoldenFrameTests {
    static let variants = PlayerVariant.allCases.filter(\.isSupported)

    @Test func thereAreEightyEightFrames() { #expect(GoldenFiles.frames.count == 88) }

    /// In 8-bit formats, at most 0.02 % of the samples differ, by at most one code.
    ///
    /// Without fused multiply-add, which the reference uses, the limit is 0.05 %. In 16-bit formats, all samples may
    /// differ by up to 4 of 65 536 codes.
    @Test(arguments: GoldenFiles.frames, variants)
    func frameEqualsTheReferenceWithinLimits(_ golden: GoldenFiles.Frame, variant: PlayerVariant) throws {
        let played = try play(golden, variant)
        let expected = try GoldenFiles.bytes(golden.output)
        let difference = difference(played, expected, try #require(golden.pixelFormat))
        #expect(difference.largest <= difference.oneCode)
        let share = variant == .baseline ? 2_000 : 5_000
        // In the smallest frames, a single sample exceeds the limit.
        #expect(difference.differing <= max(1, difference.samples / share), "of \(difference.samples) samples")
    }

    /// The reference makes alpha opaque; the player does not change it.
    @Test(arguments: GoldenFiles.frames.filter { $0.format == "rgbx" && $0.width == 83 }, variants)
    func paddingIsUnchanged(_ golden: GoldenFiles.Frame, variant: PlayerVariant) throws {
        let input = try GoldenFiles.bytes(golden.input)
        let played = try play(golden, variant)
        for index in stride(from: 3, to: input.count, by: 4) { #expect(played[index] == input[index]) }
    }

    private func play(_ golden: GoldenFiles.Frame, _ variant: PlayerVariant) throws -> [UInt8] {
        let format = try #require(golden.pixelFormat)
        var pixels = try GoldenFiles.bytes(golden.input)
        let layout = PictureLayout(
            format: format, width: golden.width, height: golden.height, stride: golden.width * format.bytesPerPixel)
        let player = try #require(makePlayer(width: golden.width, height: golden.height, variant: variant))
        var span = pixels.mutableSpan
        player.play(
            &span, layout: layout, frame: golden.frame, scan: golden.scan,
            settings: try GoldenFiles.settings(golden.preset), bands: 1, runner: SerialRunner())
        return pixels
    }

    private func difference(
        _ a: [UInt8], _ b: [UInt8], _ format: PixelFormat
    ) -> (largest: Int, oneCode: Int, differing: Int, samples: Int) {
        var largest = 0
        var differing = 0
        var samples = 0
        func compare(_ one: Int, _ other: Int) {
            samples += 1
            largest = max(largest, abs(one - other))
            if one != other { differing += 1 }
        }
        if format.bytesPerPixel == 8 {
            for index in stride(from: 0, to: a.count, by: 2) where index % 8 != 0 {
                compare(Int(a[index]) + (Int(a[index + 1]) << 8), Int(b[index]) + (Int(b[index + 1]) << 8))
            }
            return (largest, 4, 0, samples)
        }
        let padding: Int? =
            switch format {
            case .rgbx, .bgrx: 3
            case .xbgr: 0
            default: nil
            }
        for index in a.indices where padding == nil || index % 4 != padding {
            compare(Int(a[index]), Int(b[index]))
        }
        return (largest, 1, differing, samples)
    }
}
