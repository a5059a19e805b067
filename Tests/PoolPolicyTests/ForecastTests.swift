import PoolPolicy
import TestSupport
import Testing

@Suite struct ForecastTests {
    private func predictions(_ predictor: Predictor, _ peaks: [Int], alpha: Double = 0.3) -> [Double] {
        var forecast = Forecast(predictor, alpha: alpha)
        return peaks.map { forecast.windowEnded(peak: $0) }
    }

    @Test func nonePredictsTheLastPeak() {
        #expect(predictions(.none, [4, 9, 2]) == [4, 9, 2])
    }

    @Test func averageMovesByAlpha() {
        #expect(predictions(.ewma, [10, 20, 20], alpha: 0.5) == [10, 15, 17.5])
    }

    @Test func trendIsAtLeastTheLastPeak() {
        let peaks = [3, 8, 2, 12, 12, 5, 16, 1]
        for (prediction, peak) in zip(predictions(.trend, peaks), peaks) { #expect(prediction >= Double(peak)) }
    }

    @Test func trendPredictsARamp() throws {
        let peaks = Array(stride(from: 2, through: 20, by: 2))
        let last = try #require(predictions(.trend, peaks, alpha: 0.5).last)
        #expect(last > 20.5)
    }

    /// Mean squared error after the first 100 peaks.
    private func error(_ predictor: Predictor, _ peaks: [Int]) -> Double {
        let errors = zip(predictions(predictor, peaks), peaks.dropFirst()).map { $0 - Double($1) }.dropFirst(100)
        return errors.reduce(0) { $0 + ($1 * $1) } / Double(errors.count)
    }

    /// Tests that the regression has small errors both for a load that changes at random and for a load that remains
    /// constant for some time.
    @Test func regressionLearnsWhetherALoadStays() {
        var random = Random(seed: 1)
        let erratic = (0..<600).map { _ in random.below(17) }
        #expect(error(.ar1, erratic) < 0.6 * error(.none, erratic))
        let lasting = (0..<600).map { ($0 / 20).isMultiple(of: 2) ? 2 : 14 }
        #expect(error(.ar1, lasting) < 1.1 * error(.none, lasting))
    }

    @Test func everyPredictorIsExactAtAConstantLoad() {
        for predictor in Predictor.allCases {
            for prediction in predictions(predictor, Array(repeating: 7, count: 50)) {
                #expect(abs(prediction - 7) < 1e-9)
            }
        }
    }

    @Test func predictionsOfABoundedLoadAreBounded() {
        let peaks = (0..<500).map { ($0 * 7919) % 17 }
        for predictor in Predictor.allCases where predictor != .trend {
            for prediction in predictions(predictor, peaks) { #expect((-0.001...16.001).contains(prediction)) }
        }
        for prediction in predictions(.trend, peaks) { #expect((0...40).contains(prediction)) }
    }
}
