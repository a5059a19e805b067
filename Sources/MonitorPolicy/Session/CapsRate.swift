/// The framerate in the caps of a source, and since when it is the same.
struct CapsRate: Sendable {
    /// Readings from which the figures of the last 5 s are those of one framerate.
    private static let recentReadings = 6

    private var framerate: Double?
    private var readings = 0
    private var hasChanged = false

    /// Takes the framerate of one reading; nil is none, or that of a pad that has no caps any more.
    mutating func tick(_ rate: Double?) {
        guard let rate else { return }
        if rate != framerate {
            hasChanged = framerate != nil
            (framerate, readings) = (rate, 0)
        }
        readings += 1
    }

    /// The framerate of the figures of the last 5 s, or of those since the start; nil if it has changed, or below 3 readings.
    func steady(sinceStart: Bool) -> Double? {
        let isSteady = sinceStart ? !hasChanged : !hasChanged || readings >= Self.recentReadings
        return isSteady && readings >= 3 ? framerate : nil
    }
}
