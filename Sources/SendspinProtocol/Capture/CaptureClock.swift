import Durations

/// Relation of the pipeline's clock, on which audio is captured, to the local clock.
///
/// The clock of a capture device runs at its own rate, and its readings jitter. A line through the readings of the last
/// 30 s gives its offset and rate.
public struct CaptureClock: Sendable {
    /// Minimum time between readings that are used.
    static let interval = Duration.milliseconds(100)
    /// Time in seconds for which a reading is used; the rate of a crystal changes slowly.
    static let mostAge = 30.0
    /// Residual from which the clock was set.
    static let leastStep = Duration.milliseconds(20)

    private var window = ErrorWindow()
    private var line = ErrorLine()
    /// Time of the clock and offset of the local clock at the first reading; the line is relative to them.
    private var origin: (clock: Duration, offset: Duration)?
    private var nextReading: Duration?

    /// Creates a relation without a reading.
    public init() {}

    /// Whether `add` uses a reading at the local time `now`.
    public func needsReading(at now: Duration) -> Bool { nextReading.map { now >= $0 } ?? true }

    /// Adds a reading: the time of the clock and the local time at one moment.
    public mutating func add(clock: Duration, local: Duration) {
        guard needsReading(at: local) else { return }
        nextReading = local + Self.interval
        if let expected = self.local(at: clock) {
            let residual = local - expected
            if max(residual, .zero - residual) >= Self.leastStep { origin = nil }
        }
        if origin == nil {
            origin = (clock, local - clock)
            window.removeAll()
        }
        guard let origin else { return }
        window.append(.init(x: (clock - origin.clock).inSeconds, y: (local - clock - origin.offset).inSeconds))
        window.trim(needed: ErrorWindow.capacity, least: 0, most: Self.mostAge)
        line = window.leastSquares(prior: ErrorLine())
    }

    /// Local time at a time of the clock; nil before the first reading.
    public func local(at clock: Duration) -> Duration? {
        guard let origin else { return nil }
        let error = line.error(at: (clock - origin.clock).inSeconds)
        return clock + origin.offset + Duration(seconds: error)
    }
}
