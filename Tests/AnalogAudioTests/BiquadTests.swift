import Testing

@testable import AnalogAudio

struct BiquadTests {
    /// A state that is not a number would stay in the filter for ever.
    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func aFlushRemovesWhatIsNotFinite(value: Double) {
        let filter = Biquad.lowPass(1_000, quality: 0.7, rate: 48_000)
        var state = BiquadState()
        _ = state.step(Pair(repeating: value), filter)
        state.flush()
        let output = state.step(.zero, filter)
        #expect(output == .zero)
    }

    /// The poles of a filter without an effect must not be at the border of stability.
    @Test(arguments: [0, 1e-30, 1e-12, 1e-8])
    func aTinyTimeConstantChangesNothing(time: Double) {
        let filter = Biquad.shelf(time, time / 4, rate: 48_000)
        // A filter with another time constant has left a state that is not 0.
        var state = BiquadState()
        let other = Biquad.shelf(5e-5, 1e-5, rate: 48_000)
        for index in 0..<100 { _ = state.step(Pair(repeating: index % 2 == 0 ? 1 : -1), other) }
        for _ in 0..<100 { _ = state.step(.zero, filter) }
        let output = state.step(.zero, filter)
        #expect(output == .zero)
    }
}
