import MachineState
import Testing

@testable import ThermalPolicy

@Suite struct BitrateOrderTests {
    private let hd = VideoCaps(width: 1920, height: 1080, rate: FrameRate(30, 1))

    /// The bitrate in kbit/s on each rung, for an encoder with the full bitrate `full`.
    private func kilobits(of full: Double, _ change: (inout LadderRules) -> Void = { _ in }) -> [Int] {
        var rules = LadderRules()
        change(&rules)
        let rungs = QualityLadder(for: hd, rules).rungs
        let cool = rungs[0].limits.fit(hd).pixelsPerSecond
        return rungs.map { rung in
            let order = BitrateOrder(
                share: rung.limits.bitrateShare, pixelsPerSecond: rung.limits.fit(hd).pixelsPerSecond,
                fullPixelsPerSecond: rung.limits.isShareExact ? nil : cool)
            return Int(full * order.share(ofBitsPerSecond: full * 1000) + 1e-6)
        }
    }

    @Test func lowersTheBitrateWithThePixelsOfEachRung() {
        #expect(kilobits(of: 3000) == [3000, 2100, 1204, 656, 475, 258, 212, 137])
        #expect(kilobits(of: 3000) { $0.policy = .maintainResolution } == [3000, 2100, 2100, 1872, 1316])
        // Each of three steps lowers the bitrate to 70 %. The fourth step reduces the pixels per second. Fewer pixels
        // lower the bitrate only if they require less than the 1029 kbit/s that remain after the three steps.
        #expect(kilobits(of: 3000) { $0.policy = .bitrateFirst }[1...4] == [2100, 1470, 1029, 1029])
    }

    /// The bitrate of the user applies to the frame rate of the tier, not to a higher frame rate.
    @Test func keepsTheBitrateOfASlowerTier() {
        #expect(kilobits(of: 3000) { $0.tier = .low }[0...1] == [3000, 2100])
    }

    @Test func keepsAShareThatTheUserWritesExact() {
        let custom = [
            QualityLimits(width: 640, bitrateShare: 0.5, isShareExact: true), QualityLimits(width: 640),
        ]
        #expect(kilobits(of: 3000) { $0.custom = custom } == [3000, 1500, 577])
    }

    @Test func keepsTheLeastBitrateForFewPixels() {
        #expect(kilobits(of: 300) == [300, 210, 120, 65, 47, 30, 30, 30])
        // A user's bitrate that is below the minimum is kept, and a step still multiplies it by its share.
        #expect(kilobits(of: 20) == [20, 14, 14, 14, 14, 14, 14, 14])
    }

    @Test func raisesTheBitsPerPixelWhileTheBitrateFalls() {
        var before = (bits: Double.infinity, each: 0.0)
        for pixels in stride(from: 60_000_000.0, to: 200_000, by: -700_000) {
            let order = BitrateOrder(share: 1, pixelsPerSecond: pixels, fullPixelsPerSecond: 62_208_000)
            let bits = 3_000_000 * order.share(ofBitsPerSecond: 3_000_000)
            #expect(bits < before.bits || bits == BitrateOrder.leastBitsPerSecond)
            #expect(bits / pixels > before.each)
            before = (bits, bits / pixels)
        }
    }

    @Test func detectsFewerPixels() {
        func has(_ pixels: Double, _ full: Double?) -> Bool {
            BitrateOrder(share: 1, pixelsPerSecond: pixels, fullPixelsPerSecond: full).hasFewerPixels
        }
        #expect(has(1, 2) && !has(2, 2) && !has(3, 2) && !has(0, 2) && !has(1, nil))
        #expect(!BitrateOrder.full.hasFewerPixels)
    }

    @Test func keepsTheShareForInvalidNumbers() {
        for (pixels, full) in [(0.0, 1.0), (1, 0), (-1, 1), (1, -1), (.nan, 1), (1, .nan), (2, 1), (.infinity, 1)] {
            let order = BitrateOrder(share: 0.7, pixelsPerSecond: pixels, fullPixelsPerSecond: full)
            #expect(order.share(ofBitsPerSecond: 1_000_000) == 0.7)
        }
        let order = BitrateOrder(share: 0.7, pixelsPerSecond: 1, fullPixelsPerSecond: 100)
        for bits in [0.0, -1, .nan] { #expect(order.share(ofBitsPerSecond: bits) == 0.7) }
    }
}
