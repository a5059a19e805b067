import Durations

/// Writes values for people: three digits and a unit, or `–` for a value that was not measured.
public enum Units {
    /// Text of an absent value.
    public static let absent = "–"

    /// Writes a duration, such as `850 µs`, `12.3 ms` or `1.20 s`.
    public static func duration(_ value: Duration?) -> String {
        guard let value else { return absent }
        return scaled(value.inSeconds, [(1e-6, 1e-9, "ns"), (1e-3, 1e-6, "µs"), (1, 1e-3, "ms"), (.infinity, 1, "s")])
    }

    /// Writes a size, such as `84.2 MB`.
    public static func bytes(_ value: UInt64?) -> String { bytes(value.map { Double($0) }) }

    /// Writes a size, such as `84.2 MB`.
    public static func bytes(_ value: Double?) -> String {
        guard let value else { return absent }
        return scaled(value, [(1e3, 1, "B"), (1e6, 1e3, "kB"), (1e9, 1e6, "MB"), (.infinity, 1e9, "GB")])
    }

    /// Writes a share, such as `97.3 %`; only a share of at least 1 gives `100 %`.
    public static func share(_ value: Double?) -> String {
        guard let value, value.isFinite else { return absent }
        let tenths = value < 1 ? min((value * 1000).rounded(), 999) : 1000
        return tenths >= 1000 ? "100 %" : "\(fixed(max(tenths, 0) / 10, 1)) %"
    }

    /// Writes a number with three digits, such as `29.9`.
    public static func number(_ value: Double?) -> String {
        guard let value, value.isFinite else { return absent }
        return digits(value)
    }

    /// Writes a count with all digits.
    public static func count(_ value: UInt64?) -> String { value.map { "\($0)" } ?? absent }

    /// Writes the value of a metric with its unit.
    public static func value(_ value: Double, of metric: Metric) -> String {
        switch metric.family {
        case .latency: duration(Duration(seconds: value))
        case .rate: number(value) + "/s"
        case .memory: bytes(value)
        case .energy: number(value) + " W"
        case .compliance: share(value)
        }
    }

    /// Writes a time of a clock, such as `1:02:03` or `02:03`.
    public static func clock(_ value: Duration) -> String {
        let seconds = max(0, value.components.seconds)
        let two = { (number: Int64) in number < 10 ? "0\(number)" : "\(number)" }
        let rest = "\(two((seconds / 60) % 60)):\(two(seconds % 60))"
        return seconds >= 3600 ? "\(seconds / 3600):\(rest)" : rest
    }

    /// Replaces control characters, so that a name can neither move a terminal's cursor nor break a line.
    public static func printable(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            let isControl =
                scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
            text.unicodeScalars.append(isControl || scalar == "\u{2028}" || scalar == "\u{2029}" ? "?" : scalar)
        }
        return text
    }

    /// Writes a number with a fixed number of decimals, rounded half away from zero.
    static func fixed(_ value: Double, _ decimals: Int) -> String {
        guard value.isFinite, value.magnitude < 1e15 else { return value.isFinite ? "\(value)" : absent }
        let factor = [1.0, 10, 100, 1000][min(max(decimals, 0), 3)]
        let whole = Int64((value.magnitude * factor).rounded())
        let sign = value < 0 && whole > 0 ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(whole)" }
        let rest = "\(whole % Int64(factor))"
        let zeros = String(repeating: "0", count: max(0, min(decimals, 3) - rest.count))
        return "\(sign)\(whole / Int64(factor)).\(zeros)\(rest)"
    }

    private static func digits(_ value: Double) -> String {
        let size = value.magnitude
        return fixed(value, size >= 99.95 || size == 0 ? 0 : size >= 9.995 ? 1 : 2)
    }

    /// Chooses the first unit whose limit exceeds the rounded value.
    private static func scaled(_ value: Double, _ units: [(limit: Double, factor: Double, name: String)]) -> String {
        guard value.isFinite else { return absent }
        let unit = units.first { value.magnitude < $0.limit * 0.9995 } ?? units[units.count - 1]
        return "\(digits(value / unit.factor)) \(unit.name)"
    }
}
