import MonitorPolicy
import Testing

@Suite struct LatencyBinsTests {
    @Test func everyDurationLiesWithinTheBoundsOfItsBin() {
        var random = Random(seed: 1)
        for power in 0..<36 {
            for _ in 0..<200 {
                let value = (UInt64(1) << UInt64(power)) + random.below(UInt64(1) << UInt64(power))
                let bin = LatencyBins.bin(of: value)
                #expect(LatencyBins.lowerBound(of: bin) <= value && value <= LatencyBins.upperBound(of: bin))
            }
        }
    }

    @Test func binsFollowEachOtherWithoutGapOrOverlap() {
        #expect(LatencyBins.lowerBound(of: 0) == 0)
        for bin in 1..<LatencyBins.count {
            #expect(LatencyBins.lowerBound(of: bin) == LatencyBins.upperBound(of: bin - 1) + 1)
            #expect(LatencyBins.bin(of: LatencyBins.lowerBound(of: bin)) == bin)
        }
        #expect(LatencyBins.upperBound(of: LatencyBins.count - 1) == LatencyBins.longest)
    }

    @Test func theMiddleOfABinIsWithinSixteenPerMilleOfItsBounds() {
        for bin in 64..<LatencyBins.count {
            let (lower, middle) = (Double(LatencyBins.lowerBound(of: bin)), Double(LatencyBins.middle(of: bin)))
            #expect((middle - lower) / lower <= 0.016)
            #expect((Double(LatencyBins.upperBound(of: bin)) - middle) / middle <= 0.016)
        }
    }

    @Test func longerDurationsShareTheLastBin() {
        #expect(LatencyBins.bin(of: LatencyBins.longest + 1) == LatencyBins.count - 1)
        #expect(LatencyBins.bin(of: .max) == LatencyBins.count - 1)
    }
}
