import StreamControl
import Testing

@Suite struct BufferPoolForecastTests {
    private func guesses(_ predictor: Predictor, _ peaks: [Int], alpha: Double = 0.3) -> [Double] {
        var forecast = Forecast(predictor, alpha: alpha)
        return peaks.map { forecast.windowEnded(peak: $0) }
    }

    @Test func noPredictorRepeatsWhatItSaw() {
        #expect(guesses(.none, [4, 9, 2]) == [4, 9, 2])
    }

    @Test func averageMovesByItsShare() {
        #expect(guesses(.ewma, [10, 20, 20], alpha: 0.5) == [10, 15, 17.5])
    }

    @Test func trendNeverGuessesLessThanItSaw() {
        let peaks = [3, 8, 2, 12, 12, 5, 16, 1]
        for (guess, peak) in zip(guesses(.trend, peaks), peaks) { #expect(guess >= Double(peak)) }
    }

    @Test func trendSeesARampComing() throws {
        let peaks = Array(stride(from: 2, through: 20, by: 2))
        let last = try #require(guesses(.trend, peaks, alpha: 0.5).last)
        #expect(last > 20.5)
    }

    @Test func everyPredictorRestsAtAConstantLoad() {
        for predictor in Predictor.allCases {
            for guess in guesses(predictor, Array(repeating: 7, count: 50)) { #expect(abs(guess - 7) < 1e-9) }
        }
    }

    @Test func noPredictorEscapesTheRangeOfABoundedLoad() {
        let peaks = (0..<500).map { ($0 * 7919) % 17 }
        for predictor in Predictor.allCases where predictor != .trend {
            for guess in guesses(predictor, peaks) { #expect((-0.001...16.001).contains(guess)) }
        }
        for guess in guesses(.trend, peaks) { #expect((0...40).contains(guess)) }
    }
}
