import Testing

@testable import AnalogAudio

struct DelayLineTests {
    /// No delay reads outside of the memory, or traps; what is limited is a whole number of samples.
    @Test(arguments: [-.infinity, -1e300, -1, 0, 15.9, 16, 40, 40.1, 1e300, .infinity, .nan])
    func everyDelayIsLimited(delay: Double) {
        for isMono in [true, false] {
            var line = DelayLine(longest: 40, isMono: isMono)
            // More samples than the line has room for.
            for index in 0..<3_000 { line.append(Pair(Double(index), Double(-index))) }
            let limited = delay.isNaN ? 16 : min(max(delay, 16), 40)
            let value = line.delayed(by: delay, Interpolation())
            #expect(abs(value.x - (2_999 - limited)) < 1e-3)
            #expect(abs(value.y - (isMono ? 2_999 - limited : limited - 2_999)) < 1e-3)
        }
    }
}
