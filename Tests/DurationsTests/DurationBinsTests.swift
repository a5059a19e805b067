import TestSupport
import Durations
import Testing

@Suite struct DurationBinsTests {
    @Test func everyDurationLiesWithinTheBoundsOfItsBin() {
        var random = Random(seed: 1)
        for power in 0..<36 {
            for _ in 0..<200 {
                let value = (UInt64(1) << UInt64(power)) + random.below(UInt64(1) << UInt64(power))
                let bin = DurationBins.bin(of: value)
                #expect(DurationBins.lowerBound(of: bin) <= value && value <= DurationBins.upperBound(of: bin))
            }
        }
    }

    @Test func binsFollowEachOtherWithoutGapOrOverlap() {
        #expect(DurationBins.lowerBound(of: 0) == 0)
        for bin in 1..<DurationBins.count {
            #expect(DurationBins.lowerBound(of: bin) == DurationBins.upperBound(of: bin - 1) + 1)
            #expect(DurationBins.bin(of: DurationBins.lowerBound(of: bin)) == bin)
        }
        #expect(DurationBins.upperBound(of: DurationBins.count - 1) == DurationBins.longest)
    }

    @Test func theMiddleOfABinIsWithinSixteenPerMilleOfItsBounds() {
        for bin in 64..<DurationBins.count {
            let (lower, middle) = (Double(DurationBins.lowerBound(of: bin)), Double(DurationBins.middle(of: bin)))
            #expect((middle - lower) / lower <= 0.016)
            #expect((Double(DurationBins.upperBound(of: bin)) - middle) / middle <= 0.016)
        }
    }

    @Test func longerDurationsShareTheLastBin() {
        #expect(DurationBins.bin(of: DurationBins.longest + 1) == DurationBins.count - 1)
        #expect(DurationBins.bin(of: .max) == DurationBins.count - 1)
    }
}
