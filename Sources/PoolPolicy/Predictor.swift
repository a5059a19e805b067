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
