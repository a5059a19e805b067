import CGStreamer

/// The most that one structure of caps allows; nil where it says nothing.
public struct CapsLimits: Sendable, Equatable {
    public var width: Int32?
    public var height: Int32?
    public var rate: StreamWish.StreamRate?
    /// The field `bitrate-share`, which is none of GStreamer's.
    public var bitrateShare: Double?

    /// One for each structure of `text`, which must all be `video/x-raw`.
    public static func parse(_ text: String) throws(ElementError) -> [CapsLimits] {
        guard let caps = gst_caps_from_string(text) else {
            throw .settings("\"\(text)\" is not caps.", debug: "Write caps as for gst-launch-1.0, one per level.")
        }
        defer { gst_caps_unref(caps) }
        var limits: [CapsLimits] = []
        for index in 0..<gst_caps_get_size(caps) {
            guard let structure = gst_caps_get_structure(caps, index),
                gst_structure_has_name(structure, "video/x-raw") != 0
            else {
                throw .settings(
                    "\"\(text)\" holds caps that are not video/x-raw.",
                    debug: "Frames are made smaller and fewer before they are encoded.")
            }
            limits.append(CapsLimits(structure))
        }
        return limits
    }

    private init(_ structure: UnsafeMutablePointer<GstStructure>) {
        width = Self.most(structure, "width")
        height = Self.most(structure, "height")
        rate = Self.mostRate(structure)
        var share: gdouble = 0
        if gst_structure_get_double(structure, "bitrate-share", &share) != 0, share > 0, share <= 1 {
            bitrateShare = share
        }
    }

    private static func most(_ structure: UnsafeMutablePointer<GstStructure>, _ field: String) -> Int32? {
        guard let value = gst_structure_get_value(structure, field) else { return nil }
        let type = value.pointee.g_type
        if type == cgst_type_int() { return positive(g_value_get_int(value)) }
        if type == gst_int_range_get_type() { return positive(gst_value_get_int_range_max(value)) }
        return nil
    }

    private static func mostRate(_ structure: UnsafeMutablePointer<GstStructure>) -> StreamWish.StreamRate? {
        guard var value = gst_structure_get_value(structure, "framerate") else { return nil }
        if value.pointee.g_type == gst_fraction_range_get_type(), let most = gst_value_get_fraction_range_max(value) {
            value = most
        }
        guard value.pointee.g_type == gst_fraction_get_type() else { return nil }
        let (up, down) = (gst_value_get_fraction_numerator(value), gst_value_get_fraction_denominator(value))
        return up > 0 && down > 0 && up < gint.max ? .init(up, down) : nil
    }

    private static func positive(_ number: gint) -> Int32? { number > 0 && number < gint.max ? number : nil }
}
