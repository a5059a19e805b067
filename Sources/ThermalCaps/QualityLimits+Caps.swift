import GStreamer
import MachineState
import ThermalPolicy

extension QualityLimits {
    /// The upper limits in caps of one structure that a user has written.
    ///
    /// The largest value of a range or a list is the limit. `place` is the beginning of an error text.
    init(caps text: String, for place: String, otherShare: Double = 1) throws(ElementError) {
        try CapsText.check(text, for: place)
        guard let caps = Caps(text), caps.count == 1 else {
            throw .settings("\(place): \"\(text)\" is not caps; write for instance \(CapsText.example).")
        }
        self.init(bitrateShare: otherShare)
        for field in caps.fields() {
            guard let value = caps.value(field) else { continue }
            if let advice = read(field, value) {
                throw .settings("\(place): \(field) in \"\(text)\" is not supported; \(advice).")
            }
        }
    }

    /// The limits in an answer to `configure-caps` at `level`; `own` are the limits of the ladder at that level.
    ///
    /// The first of several structures is used, as it is the preferred one.
    init(answer: String, at level: ThermalLevel, own: QualityLimits) throws(ElementError) {
        let first = answer.split(separator: ";").first.map(String.init) ?? answer
        try self.init(
            caps: first, for: "The answer to configure-caps, level \(level.name)", otherShare: own.bitrateShare)
    }

    /// Reads one field; returns advice for the user if the value cannot be used.
    private mutating func read(_ field: String, _ value: Structure.Value) -> String? {
        switch field {
        case "width", "height":
            let sides = value.alternatives.map(\.mostPixels)
            guard let most = sides.compactMap({ $0 }).max(), !sides.contains(nil), most >= Self.leastSide else {
                return "write a number of pixels, at least \(Self.leastSide), as in \(field)=480 or \(field)=[16,480]"
            }
            // A range without an upper end is no limit.
            let limit = most < Int32.max ? Int(most) : nil
            if field == "width" { width = limit } else { height = limit }
        case "framerate":
            let rates = value.alternatives.map(\.highestRate)
            guard let most = rates.compactMap({ $0 }).max(by: { $0.isBelow($1) }), !rates.contains(nil),
                most.numerator > 0
            else { return "write frames per second as a fraction above 0, as in framerate=15/1" }
            rate = most.numerator < Int32.max ? FrameRate(most) : nil
        case "bitrate-share":
            guard let share = value.number, (0.01...1).contains(share) else {
                return "write a share from 0.01 to 1, as in bitrate-share=0.5"
            }
            (bitrateShare, isShareExact) = (share, true)
        default: return "write only width, height, framerate and bitrate-share"
        }
        return nil
    }
}

extension Structure.Value {
    fileprivate var mostPixels: Int32? {
        switch self {
        case .int(let number): number
        case .intRange(let range, _): range.upperBound
        default: nil
        }
    }

    fileprivate var highestRate: Structure.Fraction? {
        switch self {
        case .fraction(let rate): rate
        case .fractionRange(_, let most): most
        default: nil
        }
    }

    fileprivate var number: Double? {
        switch self {
        case .int(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}

extension Structure.Fraction {
    fileprivate func isBelow(_ other: Self) -> Bool {
        Int64(numerator) * Int64(other.denominator) < Int64(other.numerator) * Int64(denominator)
    }
}
