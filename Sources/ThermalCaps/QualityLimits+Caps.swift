import GStreamer
import MachineState
import ThermalPolicy

extension QualityLimits {
    /// Upper limits in caps of one structure that a user has written; the largest value of a range or a list counts.
    ///
    /// `place` is the beginning of an error text.
    init(caps text: String, for place: String, otherShare: Double = 1) throws(ElementError) {
        try CapsText.check(text, for: place)
        guard let caps = Caps(text), caps.count == 1 else {
            throw .settings("\(place): \"\(text)\" is not caps; write for instance \(CapsText.example).")
        }
        self = .unlimited
        bitrateShare = otherShare
        for field in caps.fields() {
            guard let value = caps.value(field) else { continue }
            if let advice = read(field, value) {
                throw .settings("\(place): \(field) in \"\(text)\" is not supported; \(advice).")
            }
        }
    }

    /// Limits in an answer to `configure-caps` at `level`; `own` are the limits of the ladder at that level.
    ///
    /// Of several structures the first is used, because it is the preferred one.
    init(answer: String, at level: ThermalLevel, own: QualityLimits) throws(ElementError) {
        let first = answer.split(separator: ";").first.map(String.init) ?? answer
        try self.init(
            caps: first, for: "The answer to configure-caps, level \(level.name)", otherShare: own.bitrateShare)
    }

    /// Limits of `custom-ladder` by level; if the array is empty, the policy applies.
    static func ladder(_ text: String?) throws(ElementError) -> [QualityLimits] {
        guard let text, !text.isEmpty else { return [] }
        let levels: [ThermalLevel] = [.fair, .serious, .critical, .shutdown]
        var parts = text.split(separator: ";", omittingEmptySubsequences: false)
        // A structure of GStreamer ends with a semicolon, so the last part may be blank.
        if parts.count > 1, parts.last?.allSatisfy(\.isWhitespace) == true { parts.removeLast() }
        guard parts.count <= levels.count else {
            throw .settings(
                "custom-ladder has caps for \(parts.count) levels; write four at most.",
                debug: "They are fair, serious, critical and shutdown.")
        }
        var limits: [QualityLimits] = []
        for (level, part) in zip(levels, parts) {
            limits.append(try QualityLimits(caps: String(part), for: "custom-ladder, level \(level.name)"))
        }
        return limits
    }

    /// Reads one field; returns advice for the user if the value cannot be used.
    private mutating func read(_ field: String, _ value: Structure.Value) -> String? {
        switch field {
        case "width", "height":
            let sides = value.alternatives.map { $0.sides?.most }
            guard let most = sides.compactMap({ $0 }).max(), !sides.contains(nil), most >= Self.leastSide else {
                return "write a number of pixels, at least \(Self.leastSide), as in \(field)=480 or \(field)=[16,480]"
            }
            // A range without an upper end is no limit.
            let limit = most < Int32.max ? most : nil
            if field == "width" { width = limit } else { height = limit }
        case "framerate":
            let rates = value.alternatives.map(\.highestRate)
            guard let most = rates.compactMap({ $0.flatMap { FrameRate($0) } }).max(), !rates.contains(nil) else {
                return "write frames per second as a fraction above 0, as in framerate=15/1"
            }
            rate = most.numerator < Int32.max ? most : nil
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

/// Rejects caps of the user that would fail an assertion in the parser of GStreamer.
///
/// In 1.22 the parser fails for invalid names, ranges whose bounds are not in order, and fractions beyond 31 bits.
enum CapsText {
    static let example = "video/x-raw,height=480,framerate=15/1,bitrate-share=0.5"
    private static let heads = ["video/x-raw", "video/x-raw(ANY)", "video/x-raw(memory:SystemMemory)"]
    /// Permitted types of a value; other types are rejected, because their syntax is not checked here.
    private static let types = ["int", "i", "gint", "fraction", "GstFraction", "double", "d", "gdouble", "string", "s"]

    /// Throws if `text` is not one structure of raw video; `place` is the beginning of the error text.
    static func check(_ text: String, for place: String) throws(ElementError) {
        let head = text.prefix { $0 != "," }.filter { !$0.isWhitespace }
        guard !["", "ANY", "EMPTY", "NONE"].contains(head) else {
            throw .settings("\(place): \"\(text)\" contains no limits; write video/x-raw for no limits.")
        }
        let fields = text.drop { $0 != "," }
        let hasKnownTypes = fields.split(separator: "(", omittingEmptySubsequences: false).dropFirst()
            .allSatisfy { types.contains($0.prefix { $0 != ")" }.filter { !$0.isWhitespace }) }
        // A quoted value is not a number, so quotes are rejected.
        guard heads.contains(head), hasKnownTypes, !text.contains("\""), text.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw .settings("\(place): \"\(text)\" is not video/x-raw with numbers; write for instance \(example).")
        }
        for part in text.split(separator: "[", omittingEmptySubsequences: false).dropFirst() {
            let range = part.prefix { $0 != "]" }
            guard isAscending(range.split(separator: ",").map(bound)) else {
                throw .settings(
                    "\(place): [\(range)] is not a range; write the smaller number first, as in [16,480] or [1/1,15/1]."
                )
            }
        }
        for value in fields.split(separator: "=").dropFirst() where value.contains("/") || isFraction(value) {
            for number in value.split(whereSeparator: { !isDigit($0) && !"+-/".contains($0) }) {
                guard number.split(whereSeparator: { !isDigit($0) }).allSatisfy({ Int32($0) != nil }) else {
                    throw .settings("\(place): \(number) is too large; write for instance 15/1.")
                }
            }
        }
    }

    /// Whether the value has the type `fraction` or `GstFraction`.
    ///
    /// `contains("raction")` would link the regular expressions of `_StringProcessing`, which add 1.3 MB.
    private static func isFraction(_ value: Substring) -> Bool {
        value.utf8.indices.contains { value.utf8[$0...].starts(with: "raction".utf8) }
    }

    private static func isDigit(_ character: Character) -> Bool { "0"..."9" ~= character }

    /// Whether `bounds` are two bounds in order, or two bounds and a step that divides both.
    private static func isAscending(_ bounds: [(up: Int64, down: Int64)?]) -> Bool {
        let known = bounds.compactMap { $0 }
        guard known.count == bounds.count, (2...3).contains(known.count), known.allSatisfy({ $0.down > 0 }),
            known[0].up * known[1].down < known[1].up * known[0].down
        else { return false }
        guard known.count == 3 else { return true }
        let step = known[2].up
        return step > 0 && known.allSatisfy { $0.down == 1 && $0.up % step == 0 }
    }

    /// Parses a number or a fraction, with or without a type.
    private static func bound(_ text: Substring) -> (up: Int64, down: Int64)? {
        let word = (text.split(separator: ")").last ?? "").filter { !$0.isWhitespace }
        switch word {
        case "max": return (Int64(Int32.max), 1)
        case "min": return (-Int64(Int32.max), 1)
        default:
            let numbers = word.split(separator: "/", omittingEmptySubsequences: false).map(number)
            guard let up = numbers[0], numbers.count <= 2, up > Int64(Int32.min) else { return nil }
            guard numbers.count == 2 else { return (up, 1) }
            return numbers[1].map { (up, $0) }
        }
    }

    /// Parses a decimal number; nil with a leading 0, because GStreamer reads such a number as octal.
    private static func number(_ text: Substring) -> Int64? {
        let digits = text.drop { "+-".contains($0) }
        return digits.first == "0" && digits.count > 1 ? nil : Int32(text).map(Int64.init)
    }
}
