import CGStreamer

/// The most that caps of one structure allow; nil where they say nothing.
///
/// Of a range, and of a list, that is the largest.
public struct CapsLimits: Sendable, Equatable {
    public private(set) var width: Int32?
    public private(set) var height: Int32?
    public private(set) var rate: StreamWish.StreamRate?
    /// The field `bitrate-share`, which is none of GStreamer's: 0.01 to 1.
    public private(set) var bitrateShare: Double?

    /// From `text`, caps of one structure; `place` begins the error that says what is wrong with them.
    public static func parse(_ text: String, for place: String, leastSide: Int) throws(ElementError) -> CapsLimits {
        try CapsText.check(text, for: place)
        let caps = gst_caps_from_string(text)
        defer { if let caps { gst_caps_unref(caps) } }
        guard let caps, gst_caps_get_size(caps) == 1, let structure = gst_caps_get_structure(caps, 0) else {
            throw .settings("\(place): \"\(text)\" is not caps; write for instance \(CapsText.example).")
        }
        var limits = CapsLimits()
        for index in 0..<gst_structure_n_fields(structure) {
            guard let name = gst_structure_nth_field_name(structure, guint(index)),
                let value = gst_structure_get_value(structure, name)
            else { continue }
            let field = String(cString: name)
            if let advice = limits.read(field, value, leastSide) {
                throw .settings("\(place): \(field)=\(describe(value)) cannot be obeyed; \(advice).")
            }
        }
        return limits
    }

    /// Takes one field; what to write instead when it is of no use.
    private mutating func read(_ field: String, _ value: UnsafePointer<GValue>, _ leastSide: Int) -> String? {
        switch field {
        case "width", "height":
            let ranges = StreamOffer.values(value).map(StreamOffer.numbers)
            guard let most = ranges.compactMap({ $0?.range.upperBound }).max(), !ranges.contains(nil), most >= leastSide
            else { return "write a number of pixels from \(leastSide) on, as in \(field)=480 or \(field)=[16,480]" }
            if field == "width" { width = Self.bounded(most) } else { height = Self.bounded(most) }
        case "framerate":
            let rates = StreamOffer.values(value).map(StreamOffer.rates)
            guard let most = rates.compactMap({ $0?.most }).max(by: Self.isSlower), !rates.contains(nil),
                most.numerator > 0
            else { return "write frames per second as a fraction above 0, as in framerate=15/1" }
            rate = Self.bounded(most.numerator) == nil ? nil : most
        case "bitrate-share":
            guard let share = Self.number(value), (0.01...1).contains(share) else {
                return "write a share from 0.01 to 1, as in bitrate-share=0.5"
            }
            bitrateShare = share
        default: return "write width, height, framerate and bitrate-share alone"
        }
        return nil
    }

    /// What has no upper end limits nothing.
    private static func bounded(_ number: Int32) -> Int32? { number < gint.max ? number : nil }

    private static func isSlower(_ one: StreamWish.StreamRate, _ other: StreamWish.StreamRate) -> Bool {
        Int64(one.numerator) * Int64(other.denominator) < Int64(other.numerator) * Int64(one.denominator)
    }

    private static func number(_ value: UnsafePointer<GValue>) -> Double? {
        if value.pointee.g_type == cgst_type_int() { return Double(g_value_get_int(value)) }
        return value.pointee.g_type == cgst_type_double() ? g_value_get_double(value) : nil
    }

    private static func describe(_ value: UnsafePointer<GValue>) -> String {
        guard let text = gst_value_serialize(value) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }
}
