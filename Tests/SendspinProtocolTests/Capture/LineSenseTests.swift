import Durations
import Foundation
@testable import SendspinProtocol
import Testing

/// Presence of a signal from the level of the audio.
@Suite struct LineSenseTests {
    /// Decisions with a threshold of -50 dBFS and a hold time of 1 s; each level lasts for a number of 10 ms.
    private func decisions(_ levels: [(level: Double, count: Int)]) -> [String] {
        var sense = LineSense()
        var (time, texts) = (0, [String]())
        for (level, count) in levels {
            for _ in 0..<count {
                time += 10
                let decision = sense.add(level, for: .milliseconds(10), threshold: -50, hold: .seconds(1))
                if let decision { texts.append("\(time) \(decision)") }
            }
        }
        return texts
    }

    @Test func signalIsPresentAfterTheAttack() {
        #expect(decisions([(-90, 20), (-20, 20)]) == ["50 absent", "250 present"])
        #expect(decisions([(-50, 20)]) == ["50 present"])
    }

    @Test func clickIsNoSignal() { #expect(decisions([(-90, 20), (-1, 4), (-90, 20), (-1, 4)]) == ["50 absent"]) }

    @Test func pauseShorterThanTheHoldTimeIsPartOfTheSignal() {
        #expect(decisions([(-20, 5), (-90, 99), (-20, 1), (-90, 99)]) == ["50 present"])
        #expect(decisions([(-20, 5), (-90, 100)]) == ["50 present", "1050 absent"])
    }

    @Test func levelBetweenTheThresholdsChangesNothing() {
        #expect(decisions([(-20, 5), (-52, 1_000), (-53.5, 99)]) == ["50 present"])
        #expect(decisions([(-20, 5), (-53.5, 100), (-52, 100)]) == ["50 present", "1050 absent"])
    }

    @Test func holdTimeOfZeroMeansAtOnce() {
        var sense = LineSense()
        for _ in 0..<5 { _ = sense.add(0, for: .milliseconds(10), threshold: -50, hold: .zero) }
        #expect(sense.signal == .present)
        // A level between the thresholds is no pause.
        #expect(sense.add(-52, for: .milliseconds(10), threshold: -50, hold: .zero) == nil)
        #expect(sense.add(-99, for: .milliseconds(10), threshold: -50, hold: .zero) == .absent)
    }

    /// A sine of full scale has -3 dBFS; the offset of a converter is no signal.
    @Test(arguments: [
        (SampleFormat.Encoding.signed8, 0x1p7, 1.0), (.signed16, 0x1p15, 0.01), (.signed24, 0x1p23, 0.01),
        (.signed32, 0x1p31, 0.01),
    ])
    func levelIsThatOfTheLoudestChannelWithoutItsMean(_ encoding: SampleFormat.Encoding, scale: Double, error: Double) {
        let format = SampleFormat(encoding)
        func level(_ amplitude: Double, offset: Double) -> Double {
            let bytes = (0..<4_800).flatMap { index -> [UInt8] in
                let sine = sin(2 * .pi * 100 * Double(index) / 4_800)
                return [0.1, amplitude * sine + offset].flatMap { value -> [UInt8] in
                    let word = Int64((value * (scale - 1)).rounded())
                    return (0..<format.bytes).map { UInt8(truncatingIfNeeded: word >> Int64(8 * $0)) }
                }
            }
            return format.level(of: bytes.span.bytes, channels: 2)
        }
        #expect(abs(level(0.5, offset: 0) - -9.03) < error + 0.01)
        #expect(abs(level(0.5, offset: 0.4) - -9.03) < error + 0.01)
        #expect(level(0, offset: 0.4) < -100)
        #expect(format.level(of: [UInt8]().span.bytes, channels: 2) == -200)
    }
}
