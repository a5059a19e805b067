import CGStreamer

/// One structure of what upstream can send: pictures of any of these sizes and rates.
public struct StreamOffer: Sendable, Equatable {
    public struct Rates: Sendable, Equatable {
        public let least, most: StreamWish.StreamRate
    }

    /// Numbers of pixels, in steps.
    public struct Sides: Sendable, Equatable {
        public let range: ClosedRange<Int32>
        public let step: Int32
    }

    public let widths: [Sides]
    public let heights: [Sides]
    /// Empty where nothing is said about rates.
    public let rates: [Rates]

    /// What a list may hold; cameras offer a few dozen.
    private static let most: guint = 256

    /// All that `caps` offer in the same memory as `current`.
    static func all(in caps: UnsafeMutablePointer<GstCaps>, like current: UnsafeMutablePointer<GstCaps>) -> [Self] {
        guard gst_caps_is_any(caps) == 0, gst_caps_get_size(current) > 0 else { return [] }
        let memory = gst_caps_get_features(current, 0)
        return (0..<min(gst_caps_get_size(caps), most)).compactMap { index in
            guard let structure = gst_caps_get_structure(caps, index),
                gst_structure_has_name(structure, "video/x-raw") != 0,
                let features = gst_caps_get_features(caps, index), let memory,
                gst_caps_features_is_equal(features, memory) != 0
            else { return nil }
            return Self(structure)
        }
    }

    private init(_ structure: UnsafeMutablePointer<GstStructure>) {
        func values(_ field: String) -> [UnsafePointer<GValue>] {
            gst_structure_get_value(structure, field).map(Self.values) ?? []
        }
        widths = values("width").compactMap(Self.numbers)
        heights = values("height").compactMap(Self.numbers)
        rates = values("framerate").compactMap(Self.rates)
    }

    /// The value itself, or those in its list.
    static func values(_ value: UnsafePointer<GValue>) -> [UnsafePointer<GValue>] {
        guard value.pointee.g_type == gst_value_list_get_type() else { return [value] }
        return (0..<min(gst_value_list_get_size(value), most)).compactMap { gst_value_list_get_value(value, $0) }
    }

    static func numbers(_ value: UnsafePointer<GValue>) -> Sides? {
        let type = value.pointee.g_type
        if type == cgst_type_int() {
            return Sides(range: g_value_get_int(value)...g_value_get_int(value), step: 1)
        }
        guard type == gst_int_range_get_type() else { return nil }
        let (least, most) = (gst_value_get_int_range_min(value), gst_value_get_int_range_max(value))
        return least <= most ? Sides(range: least...most, step: gst_value_get_int_range_step(value)) : nil
    }

    static func rates(_ value: UnsafePointer<GValue>) -> Rates? {
        let type = value.pointee.g_type
        if type == gst_fraction_get_type() { return Rates(least: rate(value), most: rate(value)) }
        guard type == gst_fraction_range_get_type(), let least = gst_value_get_fraction_range_min(value),
            let most = gst_value_get_fraction_range_max(value)
        else { return nil }
        return Rates(least: rate(least), most: rate(most))
    }

    private static func rate(_ value: UnsafePointer<GValue>) -> StreamWish.StreamRate {
        StreamWish.StreamRate(gst_value_get_fraction_numerator(value), gst_value_get_fraction_denominator(value))
    }
}
