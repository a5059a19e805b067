import StreamControl
import Testing

@Suite struct EncoderBitrateTests {
    @Test func theUsersValueIsTheCeilingAndComesBack() {
        var lever = BitrateLever()
        #expect(lever.move(to: 0.7, present: 2048) == 1433)
        #expect(lever.move(to: 0.49, present: 1433) == 1003)
        #expect(lever.move(to: 0.7, present: 1003) == 1433)
        #expect(lever.move(to: 1, present: 1433) == 2048)
        #expect(lever.move(to: 1, present: 2048) == nil)
    }

    @Test func whatTheUserSetsMeanwhileIsTheNewCeiling() {
        var lever = BitrateLever()
        #expect(lever.move(to: 0.7, present: 2000) == 1400)
        // The user sets 500.
        #expect(lever.move(to: 0.49, present: 500) == 245)
        #expect(lever.move(to: 1, present: 245) == 500)
        #expect(lever.move(to: 0.7, present: 1000) == 700)
        #expect(lever.move(to: 1, present: 900) == nil)
    }

    @Test func automaticStaysAutomatic() {
        var lever = BitrateLever()
        #expect(lever.move(to: 0.7, present: 0) == nil)
        #expect(lever.move(to: 0.7, present: 0, automatic: 1000) == 700)
        #expect(lever.move(to: 1, present: 700) == 0)
    }

    @Test func oddNumbersAreHarmless() {
        var lever = BitrateLever()
        #expect(lever.move(to: 0, present: .max) == UInt64(Int32.max))
        #expect(lever.move(to: 1, present: UInt64(Int32.max)) == .max)
        #expect(lever.move(to: 0.7, present: 1) == nil)
    }

    @Test(arguments: [
        ("x264enc", "bitrate", 1000), ("x265enc", "bitrate", 1000), ("openh264enc", "bitrate", 1),
        ("vp8enc", "target-bitrate", 1), ("vp9enc", "target-bitrate", 1), ("av1enc", "target-bitrate", 1000),
        ("svtav1enc", "target-bitrate", 1000), ("nvh264enc", "bitrate", 1000), ("nvh265enc", "bitrate", 1000),
        ("vah264enc", "bitrate", 1000), ("v4l2h264enc", "extra-controls", 1), ("qsvh264enc", "bitrate", 1000),
        ("mpph264enc", "bps", 1),
    ])
    func encodersHaveTheirProperty(factory: String, property: String, bits: UInt64) throws {
        let found = try #require(EncoderBitrate.of(factory: factory))
        #expect(found.property == property && found.bitsPerUnit == bits)
    }

    /// Looks every second while so many bytes a second come out.
    private func verdict(before: Double, asked: Double, bytesPerSecond: UInt64) -> BitrateCheck.Verdict? {
        var check = BitrateCheck(before: before, asked: asked, at: .seconds(10))
        for second in 10..<30 as Range<UInt64> {
            let found = check.look(bytes: (second - 10) * bytesPerSecond, now: .seconds(Int64(second)))
            if let found { return found.verdict }
        }
        return nil
    }

    @Test func anEncoderThatDoesNotObeyIsFound() {
        #expect(verdict(before: 2e6, asked: 1.4e6, bytesPerSecond: 175_000) == .obeyed)
        #expect(
            verdict(before: 2e6, asked: 1.4e6, bytesPerSecond: 250_000)
                == .ignored(before: 2e6, after: 2e6, asked: 1.4e6))
        // It made less than it might have all along.
        #expect(verdict(before: 1e6, asked: 1.4e6, bytesPerSecond: 125_000) == .obeyed)
        // Nobody knows what was before.
        #expect(verdict(before: 0, asked: 1.4e6, bytesPerSecond: 250_000) == .obeyed)
    }
}
