import AnalogVideoModel
import AnalogVideoPlayer
import SignalSupport
import Testing

/// Comparison of every golden frame with the result of each build of the signal code.
struct GoldenFrameTests {
    static let variants = PlayerVariant.allCases.filter(\.isSupported)

    @Test func thereAreEightyEightFrames() { #expect(GoldenFiles.frames.count == 88) }

    /// The limits are those of docs/NTSC.md, "Reference and exactness".
    @Test(arguments: GoldenFiles.frames, variants)
    func frameEqualsTheReferenceWithinLimits(_ golden: GoldenFiles.Frame, variant: PlayerVariant) throws {
        let result = try #require(try GoldenResult(golden, variant))
        #expect(result.isWithinLimits, "\(result)")
    }

    /// The reference makes alpha opaque; the player does not change it.
    @Test(arguments: GoldenFiles.frames.filter { $0.format == "rgbx" && $0.width == 83 }, variants)
    func paddingIsUnchanged(_ golden: GoldenFiles.Frame, variant: PlayerVariant) throws {
        let input = try GoldenFiles.bytes(golden.input)
        let played = try #require(try golden.played(variant))
        for index in stride(from: 3, to: input.count, by: 4) { #expect(played[index] == input[index]) }
    }
}
