/// Reads a number with a unit: `20ms`, `29.97`, `30000/1001`, `200MB`, `95%`.
///
/// A number has only decimal digits and at most one point: no sign, exponent, hexadecimals, infinity or NaN.
struct Quantity {
    enum Kind {
        case latency, window, rate, memory, power, compliance, percentage, ratio, count

        /// Units with their factors to the base unit.
        var units: [(name: String, factor: Double)] {
            switch self {
            case .latency, .window:
                [("ns", 1e-9), ("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1), ("min", 60)]
            case .rate: [("", 1), ("/s", 1), ("fps", 1), ("Hz", 1), ("/min", 1 / 60)]
            case .memory:
                [
                    ("B", 1), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("KiB", 1024), ("MiB", 1_048_576),
                    ("GiB", 1_073_741_824),
                ]
            case .power: [("W", 1), ("mW", 1e-3)]
            case .compliance, .percentage: [("%", 0.01)]
            case .ratio: [("", 1), ("%", 0.01)]
            case .count: [("", 1)]
            }
        }

        var range: ClosedRange<Double> {
            switch self {
            case .latency: 1e-6...60
            case .window: 1...3600
            case .rate: 0.001...1_000_000
            case .memory: 1e3...1e15
            case .power: 1e-3...1e5
            case .compliance: 0.8...0.999
            case .percentage: 0...1
            case .ratio: 0.01...100
            case .count: 1...1_000_000
            }
        }

        var allowed: String {
            switch self {
            case .latency: "a time from 1us to 60s with its unit ns, us, ms, s or min, such as 20ms"
            case .window: "a time from 1s to 60min with its unit ms, s or min, such as 5s"
            case .rate: "frames a second from 0.001 to 1000000, such as 30, 29.97 or 30000/1001"
            case .memory: "a size from 1kB to 1000000GB with its unit B, kB, MB, GB, KiB, MiB or GiB, such as 200MB"
            case .power: "a power from 1mW to 100000W with its unit W or mW, such as 5W"
            case .compliance: "a share from 80% to 99.9%, such as 95%"
            case .percentage: "a share from 0% to 100%, such as 10%"
            case .ratio: "a ratio from 0.01 to 100, such as 1.5 or 150%"
            case .count: "a whole number from 1 to 1000000"
            }
        }
    }

    /// Returns the value in the base unit; nil if the text is not a quantity of this kind, or is out of range.
    static func value(of text: some StringProtocol, _ kind: Kind) -> Double? {
        let characters = Array(text.unicodeScalars)
        guard characters.count <= 40 else { return nil }
        let isNumeric = { (scalar: Unicode.Scalar) in ("0"..."9").contains(scalar) || scalar == "." }
        let digits = characters.prefix(while: isNumeric)
        guard var value = number(digits) else { return nil }
        var rest = characters.dropFirst(digits.count)
        if kind == .rate, rest.first == "/", let next = rest.dropFirst().first, isNumeric(next) {
            let divisor = rest.dropFirst().prefix(while: isNumeric)
            guard let number = number(divisor), number > 0 else { return nil }
            value /= number
            rest = rest.dropFirst(divisor.count + 1)
        }
        let unit = rest.drop { $0 == " " }
        guard let factor = kind.units.first(where: { $0.name.unicodeScalars.elementsEqual(unit) })?.factor else {
            return nil
        }
        // Dividing by a whole number rounds once; a factor such as 0.01 is itself inexact.
        value = factor < 1 ? value / (1 / factor).rounded() : value * factor
        guard kind.range.contains(value) else { return nil }
        return kind == .count && value != value.rounded() ? nil : value
    }

    private static func number(_ digits: ArraySlice<Unicode.Scalar>) -> Double? {
        guard digits.contains(where: { $0 != "." }), digits.count(where: { $0 == "." }) <= 1 else { return nil }
        var text = ""
        text.unicodeScalars.append(contentsOf: digits)
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }
}
