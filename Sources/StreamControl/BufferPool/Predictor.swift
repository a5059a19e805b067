/// Ways to guess how many buffers the next window will need at most.
public enum Predictor: String, Sendable, CaseIterable {
    /// As many as the last one.
    case none
    /// An average in which the past fades.
    case ewma
    /// As far from the average as the last one was, times how much one window tells about the next.
    case ar1
    /// As many as the last one, or more when the numbers rise.
    case trend
}

/// Guesses a window's peak from those before it.
public struct Forecast: Sendable {
    public let predictor: Predictor
    private let alpha: Double
    private var level: Double?
    private var slope = 0.0
    // For `ar1`: running means, in which the past fades slowly enough to learn from.
    private var mean = 0.0
    private var variance = 0.0
    private var covariance = 0.0
    private var last = 0.0

    /// How fast `trend` believes in a new slope.
    private static let slopeGain = 0.3
    /// How fast `ar1` forgets.
    private static let memory = 0.05

    public init(_ predictor: Predictor, alpha: Double) {
        self.predictor = predictor
        self.alpha = alpha
    }

    /// Called at the end of a window; returns the guess for the next.
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
            covariance += Self.memory * ((deviation * before) - covariance)
            variance += Self.memory * ((before * before) - variance)
            mean += Self.memory * deviation
            last = observed
            let correlation = variance > 0 ? min(max(covariance / variance, 0), 1) : 0
            return mean + (correlation * (observed - mean))
        case .trend:
            let next = (alpha * observed) + ((1 - alpha) * (level + slope))
            slope += Self.slopeGain * ((next - level) - slope)
            self.level = next
            return max(observed, next + slope)
        }
    }
}
