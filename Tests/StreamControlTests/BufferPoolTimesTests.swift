import StreamControl
import Testing

@Suite struct BufferPoolTimesTests {
    @Test func percentilesAreAtMostAQuarterTooHigh() {
        var times = WaitTimes()
        for nanoseconds in 1...10_000 { times.took(nanoseconds: UInt64(nanoseconds) * 100) }
        for share in [0.1, 0.5, 0.9, 0.99] {
            let exact = share * 1_000_000
            #expect((exact...(exact * 1.25)).contains(Double(times.percentile(share))))
        }
        #expect(times.longestNanoseconds == 1_000_000)
        #expect(times.percentile(1) == 1_000_000)
    }

    @Test func takesAnyTime() {
        var times = WaitTimes()
        #expect(times.percentile(0.5) == 0)
        for power in 0..<64 { times.took(nanoseconds: (1 << UInt64(power)) &- 1) }
        times.took(nanoseconds: .max)
        #expect(times.count == 65)
        #expect(times.percentile(1) == .max)
    }

    @Test func smallNumbersAreExact() {
        for nanoseconds in UInt64(0)...7 {
            var times = WaitTimes()
            times.took(nanoseconds: nanoseconds)
            times.took(nanoseconds: 1000)
            #expect(times.percentile(0.5) == nanoseconds)
        }
    }
}
