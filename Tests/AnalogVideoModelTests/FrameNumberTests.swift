import AnalogVideoModel
import Testing

struct FrameNumberTests {
    @Test(arguments: [(25, 1), (30, 1), (30_000, 1001), (24_000, 1001), (60_000, 1001), (120, 1), (1, 1), (1, 60)])
    func framesWithTruncatedTimestampsHaveTheirNumber(numerator: Int, denominator: Int) {
        for frame in (0..<500).map(UInt64.init) + [107_892, 10_000_000] {
            let exact = frame * 1_000_000_000 * UInt64(denominator)
            let time = exact / UInt64(numerator)
            #expect(number(time, numerator, denominator) == frame)
            if time > 0 { #expect(number(time - 1, numerator, denominator) == frame) }
            #expect(number(time + 1, numerator, denominator) == frame)
        }
    }

    @Test func timestampBeforeAFrameGivesThePreviousNumber() {
        #expect(number(40_000_000 - 100, 25, 1) == 1)
        #expect(number(40_000_000 - 101, 25, 1) == 0)
    }

    @Test func extremeTimestampsGiveANumberOrNil() {
        #expect(number(.max, 25, 1) == nil)
        #expect(number(.max - 100, 25, 1) == nil)
        #expect(number(.max - 100, 1, 1) == UInt64.max / 1_000_000_000)
        #expect(number(.max / 25 - 100, 25, 1) != nil)
        #expect(number(.max - 100, .max, 1) == nil)
        #expect(number(.max - 100, .max, .max) == UInt64.max / 1_000_000_000)
    }

    @Test func missingFrameRateGivesNil() {
        #expect(number(0, 0, 1) == nil)
        #expect(number(0, 25, 0) == nil)
        #expect(number(0, -25, 1) == nil)
        #expect(number(0, .min, .min) == nil)
    }

    private func number(_ time: UInt64, _ numerator: Int, _ denominator: Int) -> UInt64? {
        FrameNumber.at(.nanoseconds(time), rateNumerator: numerator, rateDenominator: denominator)
    }
}
