import AnalogVideoModel
import AnalogVideoPlayer
import SignalSupport
import Testing

/// Compares every golden frame with the result of each build of the signal code.
struct GoldenFrameTests {
    static let variants = PlayerVariant.allCases.filter(\.isSupported)

    /// 88 frames are of the reference, and 54 of the model in NumPy.
    @Test func noFrameIsMissing() { #expect(GoldenFiles.frames.count == 88 + 54) }

    /// The limits are those of docs/NTSC.md, "Reference and exactness".
    @Test(arguments: GoldenFiles.frames, variants)
    func frameEqualsTheReferenceWithinLimits(_ golden: GoldenFiles.Frame, variant: PlayerVariant) throws {
        let result = try #require(try GoldenResult(golden, variant))
        #expect(result.isWithinLimits, "\(result)")
    }

    private static let largeFrames: [(width: Int, height: Int, sum: UInt64, withoutFMA: UInt64)] = [
        (1920, 1080, 14_432_367_275_910_892_973, 8_679_803_293_253_463_968),
        (3840, 2160, 3_258_602_824_720_324_284, 11_501_335_391_941_593_180),
    ]

    /// The preset "everything" on a test pattern, compared with the sums (FNV-1a) of the frames of 2.0.0.
    ///
    /// docs/NTSC.md, "Reference and exactness", says how far frames of these sizes are from the reference.
    @Test(arguments: largeFrames, variants)
    func largeFrameIsThatOfTheRelease(
        _ golden: (width: Int, height: Int, sum: UInt64, withoutFMA: UInt64), variant: PlayerVariant
    ) throws {
        let settings = try GoldenFiles.settings("presets/everything.json")
        let picture = PlanarPicture(.bgrx, golden.width, golden.height).played(settings, variant)
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in picture.planes[0] { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
        #expect(sum == (variant.hasFusedMultiplyAdd ? golden.sum : golden.withoutFMA))
    }

    /// The reference makes alpha opaque; the player does not change it.
    @Test(arguments: GoldenFiles.frames.filter { $0.format == "rgbx" && $0.width == 83 }, variants)
    func paddingIsUnchanged(_ golden: GoldenFiles.Frame, variant: PlayerVariant) throws {
        let input = try GoldenFiles.bytes(golden.input)
        let played = try #require(try golden.played(variant))
        for index in stride(from: 3, to: input.count, by: 4) { #expect(played[index] == input[index]) }
    }
}
