import Foundation
import SignalSupport
import Testing

/// Tests the effects of two settings in frames of the reference, on which the values of the presets are based.
struct ReferenceLookTests {
    /// The golden frame of the preset "everything" with the setting that `change` names.
    private func frame(_ change: String) throws -> LookPicture {
        let preset = "presets/everything\(change).json"
        let golden = try #require(
            GoldenFiles.frames.first {
                $0.preset == preset && $0.input == "inputs/chart-112x84-rgbx.raw" && $0.frame == 3
            })
        return try #require(
            LookPicture(width: golden.width, height: golden.height, bytes: try GoldenFiles.bytes(golden.output)))
    }

    @Test func compositeSharpeningRaisesTheSaturation() throws {
        let unsharpened = try frame(".composite_preemphasis=0.0").meanChroma
        #expect(try (1.35...1.45).contains(frame("").meanChroma / unsharpened))
        #expect(try (0.55...0.65).contains(frame(".composite_preemphasis=-0.7").meanChroma / unsharpened))
    }

    /// Tests that frames that differ only in the tape speed have a PSNR of 33 to 41 dB.
    @Test(arguments: [
        (".vhs_tape_speed=1", "", 40.0...41.0), ("", ".vhs_tape_speed=3", 38...39),
        (".vhs_tape_speed=1", ".vhs_tape_speed=3", 33...34),
    ])
    func tapeSpeedsAloneHardlyDiffer(one: String, other: String, decibels: ClosedRange<Double>) throws {
        let difference = try frame(one).meanSquareDifference(to: frame(other))
        #expect(decibels.contains(10 * log10(255 * 255 / difference)), "mean square \(difference)")
    }
}
