import StreamControl
import Testing

@Suite struct EncoderBitrateTests {
    @Test func theUsersValueIsTheCeilingAndComesBack() {
        var lever = BitrateLever()
        let move1 = lever.move(to: 0.7, present: 2048)
        #expect(move1 == 1433)
        let move2 = lever.move(to: 0.49, present: 1433)
        #expect(move2 == 1003)
        let move3 = lever.move(to: 0.7, present: 1003)
        #expect(move3 == 1433)
        let move4 = lever.move(to: 1, present: 1433)
        #expect(move4 == 2048)
        let move5 = lever.move(to: 1, present: 2048)
        #expect(move5 == nil)
    }

    @Test func whatTheUserSetsMeanwhileIsTheNewCeiling() {
        var lever = BitrateLever()
        let move6 = lever.move(to: 0.7, present: 2000)
        #expect(move6 == 1400)
        // The user sets 500.
        let move7 = lever.move(to: 0.49, present: 500)
        #expect(move7 == 245)
        let move8 = lever.move(to: 1, present: 245)
        #expect(move8 == 500)
        let move9 = lever.move(to: 0.7, present: 1000)
        #expect(move9 == 700)
        let move10 = lever.move(to: 1, present: 900)
        #expect(move10 == nil)
    }

    @Test func automaticStaysAutomatic() {
        var lever = BitrateLever()
        let move11 = lever.move(to: 0.7, present: 0)
        #expect(move11 == nil)
        let move12 = lever.move(to: 0.7, present: 0, automatic: 1000)
        #expect(move12 == 700)
        let move13 = lever.move(to: 1, present: 700)
        #expect(move13 == 0)
    }

    @Test func anEncoderThatRoundsIsNotTakenForTheUser() {
        var lever = BitrateLever()
        let less = lever.move(to: 0.7, present: 301_000)
        lever.wrote(as: 210_000)
        let least = lever.move(to: 0.5, present: 210_000)
        lever.wrote(as: 150_000)
        let full = lever.move(to: 1, present: 150_000)
        #expect(less == 210_700 && least == 150_500 && full == 301_000)
    }

    @Test func oddNumbersAreHarmless() {
        var lever = BitrateLever()
        let move14 = lever.move(to: 0, present: .max)
        #expect(move14 == UInt64(Int32.max))
        let move15 = lever.move(to: 1, present: UInt64(Int32.max))
        #expect(move15 == .max)
        let move16 = lever.move(to: 0.7, present: 1)
        #expect(move16 == nil)
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
