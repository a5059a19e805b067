/// Predictor of the peak of the next window; the raw values are those of the GEnum `GstAdaptivePoolPredictor`.
public enum Predictor: Int32, Sendable, CaseIterable {
    /// The peak of the last window.
    case none
    /// Exponentially weighted moving average of the peaks.
    case ewma
    /// Mean, plus the deviation of the last window times the correlation of consecutive windows.
    case ar1
    /// The last peak, or the value that the trend of the peaks predicts if that is greater.
    case trend
}
