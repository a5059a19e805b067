/// Temperatures in degrees Celsius at which the levels of one zone begin.
public struct ThermalThresholds: Sendable, Equatable {
    /// First passive or hot trip point, which slows down the machine; if there is none, 10 degrees below critical.
    public let serious: Double
    /// `serious` plus half of the difference to the critical trip point, but at most plus 10 degrees.
    public let critical: Double
    /// Up to 2 degrees below the critical trip point, which switches off the machine; nil without such a point.
    public let shutdown: Double?
    /// Degrees below a threshold at which its level ends; nil if the trip point has no hysteresis.
    public let hysteresis: Double?

    /// Degrees below the first trip point at which no headroom is used, as in Android.
    private static let headroomSpan = 30.0
    /// Share of the headroom at which the level `fair` begins.
    private static let fairHeadroom = 0.8

    /// Computes the thresholds from trip points; nil without usable trip points.
    public init?(_ trips: [ThermalZone.Trip]) {
        let slowing = trips.filter(\.slowsDown).min { $0.celsius < $1.celsius }
        let off = trips.filter { $0.kind == "critical" }.map(\.celsius).min()
        guard let first = slowing?.celsius ?? off.map({ $0 - ThermalZone.roomBelowCritical }) else { return nil }
        serious = first
        // If the first trip point is above the critical one, there is no room between them.
        let room = off.map { max(0, $0 - first) } ?? 20
        critical = first + min(10, room / 2)
        shutdown = off.map { max(first, $0 - min(2, room / 4)) }
        hysteresis = slowing?.hysteresis
    }

    /// Used share of the headroom: 1 at the first trip point, 0 at 30 degrees below it.
    public func headroomUsed(at celsius: Double) -> Double { 1 - ((serious - celsius) / Self.headroomSpan) }

    /// Level at a temperature in degrees Celsius, without hysteresis.
    public func level(at celsius: Double) -> ThermalLevel {
        if let shutdown, celsius >= shutdown { return .shutdown }
        if celsius >= critical { return .critical }
        if celsius >= serious { return .serious }
        return headroomUsed(at: celsius) >= Self.fairHeadroom ? .fair : .nominal
    }

    /// Level at `celsius` after the level `last`, which ends `hysteresis` degrees below its beginning.
    public func level(at celsius: Double, after last: ThermalLevel, hysteresis: Double) -> ThermalLevel {
        let rising = level(at: celsius)
        return rising >= last ? rising : min(last, level(at: celsius + hysteresis))
    }
}
