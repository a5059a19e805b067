import Testing
import ThermalPolicy

@Suite struct BitrateCheckTests {
    /// The output of `seconds` of a stream with 30 frames per second.
    private func amount(_ seconds: Double, bytesPerSecond: Double) -> EncodedAmount {
        EncodedAmount(
            bytes: UInt64(seconds * bytesPerSecond), time: .seconds(seconds), frames: UInt64(seconds * 30))
    }

    /// The verdict about an output of `bytesPerSecond`, which is checked every second.
    private func verdict(
        before: Double, asked: Double, bytesPerSecond: Double, pixelShare: Double = 1
    ) -> BitrateCheck.Verdict? {
        var check = BitrateCheck(before: before, asked: asked, inside: 0, at: EncodedAmount())
        for second in 0..<20 {
            let amount = amount(Double(second), bytesPerSecond: bytesPerSecond)
            if let found = check.measure(amount, pixelShare: pixelShare) { return found.verdict }
        }
        return nil
    }

    @Test func detectsAnEncoderThatIgnoresItsBitrate() {
        #expect(verdict(before: 2e6, asked: 1.4e6, bytesPerSecond: 175_000) == .obeyed)
        #expect(
            verdict(before: 2e6, asked: 1.4e6, bytesPerSecond: 250_000)
                == .ignored(before: 2e6, after: 2e6, asked: 1.4e6))
        // The output was always below the requested bitrate.
        #expect(verdict(before: 1e6, asked: 1.4e6, bytesPerSecond: 125_000) == .obeyed)
        // The bitrate before the change is unknown.
        #expect(verdict(before: 0, asked: 1.4e6, bytesPerSecond: 250_000) == .obeyed)
        // The request restores the full bitrate.
        #expect(verdict(before: 2e6, asked: .infinity, bytesPerSecond: 250_000) == .obeyed)
    }

    @Test func detectsAnIgnoredBitrateAlsoWithFewerPixels() {
        // With constant quality, two thirds of the pixels require two thirds of the bits, much more than requested.
        #expect(
            verdict(before: 10e6, asked: 1.4e6, bytesPerSecond: 833_333, pixelShare: 2 / 3.0)
                == .ignored(before: 10e6, after: 6_666_664, asked: 1.4e6))
    }

    @Test func doesNotMeasureDuringAPause() {
        var check = BitrateCheck(before: 2e6, asked: 1.4e6, inside: 0, at: EncodedAmount())
        for second in 0...3 { #expect(check.measure(amount(Double(second), bytesPerSecond: 250_000)) == nil) }
        for _ in 0..<100 { #expect(check.measure(amount(3, bytesPerSecond: 250_000)) == nil) }
        let later = (4...10).compactMap { check.measure(amount(Double($0), bytesPerSecond: 250_000)) }
        #expect(later.first?.verdict == .ignored(before: 2e6, after: 2e6, asked: 1.4e6))
    }

    @Test func ignoresFramesInsideTheEncoder() {
        // The encoder holds 40 frames, which are eight seconds at 5 frames per second, from before the change.
        var check = BitrateCheck(before: 2e6, asked: 1e6, inside: 40, at: EncodedAmount())
        var amount = EncodedAmount()
        var found: (verdict: BitrateCheck.Verdict, bitsPerSecond: Double)?
        for frame in 1...100 {
            amount.frames += 1
            amount.time += .milliseconds(200)
            amount.bytes += frame <= 40 ? 50_000 : 25_000
            found = found ?? check.measure(amount)
        }
        #expect(found?.verdict == .obeyed && found?.bitsPerSecond == 1e6)
    }

    @Test func measuresAgainAfterNewCaps() {
        var check = BitrateCheck(before: 2e6, asked: 1.4e6, inside: 0, at: EncodedAmount())
        for second in 0...5 { #expect(check.measure(amount(Double(second), bytesPerSecond: 175_000)) == nil) }
        for second in 6...11 {
            #expect(check.measure(amount(Double(second), bytesPerSecond: 175_000), pixelShare: 0.5) == nil)
        }
        #expect(check.measure(amount(13, bytesPerSecond: 175_000), pixelShare: 0.5) != nil)
    }

    @Test func measuresTheUsualBitrateWhileNothingIsLowered() {
        var usual = UsualBitrate()
        usual.measure(amount(0, bytesPerSecond: 125_000), pixels: 100)
        usual.measure(amount(0.9, bytesPerSecond: 125_000), pixels: 100)
        #expect(usual.bitsPerSecond == nil)
        usual.measure(amount(1, bytesPerSecond: 125_000), pixels: 100)
        #expect(usual.bitsPerSecond == 1e6 && usual.bitsPerSecond(pixels: 50) == 0.5e6)
        usual.pause()
        usual.measure(amount(9, bytesPerSecond: 250_000), pixels: 50)
        usual.measure(amount(9.5, bytesPerSecond: 250_000), pixels: 50)
        #expect(usual.bitsPerSecond == 1e6 && usual.pixelShare(50) == 0.5)
        usual.measure(amount(10, bytesPerSecond: 250_000), pixels: 50)
        #expect(usual.bitsPerSecond == 2e6 && usual.pixelShare(50) == 1)
        // The time of the output does not increase, as in a stream without timestamps.
        usual.measure(amount(10, bytesPerSecond: 900_000), pixels: 50)
        #expect(usual.bitsPerSecond == 2e6)
    }
}
