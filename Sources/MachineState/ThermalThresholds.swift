/// Temperatures in degrees Celsius at which the levels of one zone begin.
public struct ThermalThresholds: Sendable, Equatable {
    /// The first passive or hot trip point, at which the kernel starts to slow the machine down.
    public let serious: Double
    /// Between the first passive trip point and the one at which the machine is switched off.
    public let critical: Double
    /// Just below the trip point at which the kernel switches the machine off; nil if there is none.
    public let shutdown: Double?
    /// Degrees below a threshold at which its level ends; nil if the trip point has no hysteresis.
    public let hysteresis: Double?

    /// Headroom covers the 30 degrees below the first trip point, as in Android.
    public static let headroomSpan = 30.0
    /// Fair begins at this share of the headroom.
    private static let fairHeadroom = 0.8

    /// Computes the thresholds of trip points; nil if there are none.
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

    /// 1 at the first trip point, 0 at 30 degrees below.
    public func headroomUsed(at celsius: Double) -> Double { 1 - ((serious - celsius) / Self.headroomSpan) }

    /// The level at a temperature in degrees Celsius, without hysteresis.
    public func level(at celsius: Double) -> ThermalLevel {
        if let shutdown, celsius >= shutdown { return .shutdown }
        if celsius >= critical { return .critical }
        if celsius >= serious { return .serious }
        return headroomUsed(at: celsius) >= Self.fairHeadroom ? .fair : .nominal
    }

    /// The level at `celsius` after the level `last`, which ends `hysteresis` degrees below its beginning.
    public func level(at celsius: Double, after last: ThermalLevel, hysteresis: Double) -> ThermalLevel {
        let rising = level(at: celsius)
        return rising >= last ? rising : min(last, level(at: celsius + hysteresis))
    }
}
