import StreamControl
import Testing

@Suite struct DurationHistogramTests {
    @Test func percentilesAreAtMostSixPercentAbove() {
        var times = DurationHistogram()
        #expect(times.percentile(0.5) == 0)
        for millisecond in 1...1000 { times.add(nanoseconds: UInt64(millisecond) * 1_000_000) }
        for part in [0.5, 0.95, 0.99] {
            let found = Double(times.percentile(part)) / 1e6
            #expect(found >= part * 1000 && found <= part * 1070)
        }
        times.add(nanoseconds: .max)
        times.add(nanoseconds: 0)
        #expect(times.count == 1002)
    }
}
