import AnalogVideoModel

/// Positions of the streaks of a field: those of snow, and those of tracking noise.
///
/// `tapeaudio` loses its signal where the picture has a streak. The positions are those that `Snow` and
/// `TrackingNoise` draw with the same settings. See docs/NTSC.md, "Streaks".
public struct StreakStarts {
    private let width: Int
    private let snow: Snow?
    private let tracking: TrackingNoise?

    /// The streaks of `run`, a field of a picture of `width` columns and `pictureHeight` rows.
    public init(_ settings: NTSCSettings, width: Int, pictureHeight: Int, run: FieldRun) {
        let field = FieldFacts(width: width, pictureHeight: pictureHeight, run: run, settings: settings)
        self.width = width
        snow = Snow(settings, field)
        tracking = TrackingNoise(settings, field)
    }

    /// First column of a row of the field that a streak covers; nil if the row has none.
    public func column(inRow row: Int) -> Int? {
        let columns = (snow?.firstColumn(ofRow: row, width: width), tracking?.firstColumn(ofRow: row, width: width))
        guard let first = columns.0, let second = columns.1 else { return columns.0 ?? columns.1 }
        return min(first, second)
    }
}
