/// How the peak of the next window is predicted.
///
/// The raw values are those of the GEnum `GstAdaptivePoolPredictor`.
public enum Predictor: Int32, Sendable, CaseIterable {
    /// The peak of the last window.
    case none
    /// An exponentially weighted moving average.
    case ewma
    /// The mean, plus the deviation of the last window times the correlation of consecutive windows.
    case ar1
    /// The last peak, or its trend when that is greater.
    case trend
}

/// Predicts the peak of a window from those before it.
public struct Forecast: Sendable {
    public let predictor: Predictor
    private let alpha: Double
    private var level: Double?
    private var slope = 0.0
    // For `ar1`: exponentially weighted moments.
    private var mean = 0.0
    private var variance = 0.0
    private var covariance = 0.0
    private var last = 0.0

    /// Weight of the newest slope for `trend`.
    private static let slopeGain = 0.3
    /// Weight of the newest window for the moments of `ar1`.
    private static let momentGain = 0.05

    public init(_ predictor: Predictor, alpha: Double) {
        self.predictor = predictor
        self.alpha = alpha
    }

    /// Called at the end of a window; returns the prediction for the next one.
    public mutating func windowEnded(peak: Int) -> Double {
        let observed = Double(peak)
        guard let level else {
            self.level = observed
            mean = observed
            last = observed
            return observed
        }
        switch predictor {
        case .none:
            return observed
        case .ewma:
            let next = level + (alpha * (observed - level))
            self.level = next
            return next
        case .ar1:
            let (deviation, before) = (observed - mean, last - mean)
            covariance += Self.momentGain * ((deviation * before) - covariance)
            variance += Self.momentGain * ((before * before) - variance)
            mean += Self.momentGain * deviation
            last = observed
            let correlation = variance > 0 ? min(max(covariance / variance, 0), 1) : 0
            return mean + (correlation * (observed - mean))
        case .trend:
            // Holt's linear method.
            let next = (alpha * observed) + ((1 - alpha) * (level + slope))
            slope += Self.slopeGain * ((next - level) - slope)
            self.level = next
            return max(observed, next + slope)
        }
    }
}
