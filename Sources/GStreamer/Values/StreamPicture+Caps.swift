import CGStreamer

extension StreamPicture {
    /// Nil for what is no video with a fixed size.
    init?(_ caps: UnsafePointer<GstCaps>) {
        guard gst_caps_get_size(caps) > 0, let structure = gst_caps_get_structure(caps, 0) else { return nil }
        var (width, height): (gint, gint) = (0, 0)
        guard gst_structure_get_int(structure, "width", &width) != 0,
            gst_structure_get_int(structure, "height", &height) != 0, width > 0, height > 0
        else { return nil }
        var (numerator, denominator): (gint, gint) = (0, 1)
        if gst_structure_get_fraction(structure, "framerate", &numerator, &denominator) == 0 {
            (numerator, denominator) = (0, 1)
        }
        self.init(width: width, height: height, rateNumerator: max(0, numerator), rateDenominator: max(1, denominator))
        let mode = gst_structure_get_string(structure, "interlace-mode").map { String(cString: $0) }
        isInterlaced = mode != nil && mode != "progressive"
        let features = gst_caps_get_features(caps, 0)
        let isPlain = features.map { gst_caps_features_is_equal($0, cgst_system_memory_features()) != 0 } ?? true
        isFields = mode == "alternate"
        isScalable = isPlain && !isFields
    }

    /// `caps` with this size and rate; belongs to the caller.
    ///
    /// With `nailsPixels` those of another size say that pixels are square where they said nothing, which means the
    /// same; a scaler would choose some that are nearly so.
    func applied(
        to caps: UnsafeMutablePointer<GstCaps>, nailsPixels: Bool = false
    ) -> UnsafeMutablePointer<GstCaps>? {
        guard let copy = gst_caps_copy(caps) else { return nil }
        let before = StreamPicture(caps)
        if nailsPixels, before?.width != width || before?.height != height,
            let structure = gst_caps_get_structure(copy, 0),
            gst_structure_has_field(structure, "pixel-aspect-ratio") == 0
        {
            copy.set("pixel-aspect-ratio", gst_fraction_get_type()) { gst_value_set_fraction($0, 1, 1) }
        }
        StreamWish(
            size: .init(width, height), rate: rateNumerator > 0 ? .init(rateNumerator, rateDenominator) : nil
        ).write(into: copy)
        return copy
    }
}

extension StreamWish {
    /// Caps of any memory that say nothing but the wish; they belong to the caller.
    func makeCaps() -> UnsafeMutablePointer<GstCaps>? {
        guard let caps = gst_caps_from_string("video/x-raw(ANY)") else { return nil }
        write(into: caps)
        return caps
    }

    fileprivate func write(into caps: UnsafeMutablePointer<GstCaps>) {
        if let size {
            caps.set("width", cgst_type_int()) { g_value_set_int($0, size.width) }
            caps.set("height", cgst_type_int()) { g_value_set_int($0, size.height) }
        }
        if let rate {
            caps.set("framerate", gst_fraction_get_type()) {
                gst_value_set_fraction($0, rate.numerator, rate.denominator)
            }
        }
    }

}

extension UnsafeMutablePointer<GstCaps> {
    /// Changes the pixel aspect ratio so that the display aspect ratio is exactly that of `other`, of another size.
    ///
    /// Sides are whole and even, so a smaller size rarely has the exact aspect ratio: 854x480 is no 16:9. A scaler logs
    /// a warning at each such size. Its input caps can carry the difference, which nothing else reads; its output keeps
    /// the pixel aspect ratio of the source.
    func showAsLarge(as other: UnsafeMutablePointer<GstCaps>) {
        guard let (from, to) = StreamPicture(self).flatMap({ from in StreamPicture(other).map { (from, $0) } }),
            (from.width, from.height) != (to.width, to.height)
        else { return }
        var (up, down): (gint, gint) = (1, 1)
        if let structure = gst_caps_get_structure(other, 0),
            gst_structure_get_fraction(structure, "pixel-aspect-ratio", &up, &down) == 0
        {
            (up, down) = (1, 1)
        }
        var (width, height): (gint, gint) = (1, 1)
        // Without a fraction of 31 bits the caps stay, and the scaler may log its warning.
        guard gst_util_fraction_multiply(to.width, to.height, from.height, from.width, &width, &height) != 0,
            gst_util_fraction_multiply(up, down, width, height, &up, &down) != 0, up > 0, down > 0
        else { return }
        set("pixel-aspect-ratio", gst_fraction_get_type()) { gst_value_set_fraction($0, up, down) }
    }

    /// Allows any size up to this one.
    func setSides(upTo width: Int32, _ height: Int32) {
        for (field, side) in [("width", width), ("height", height)] {
            set(field, gst_int_range_get_type()) { gst_value_set_int_range($0, 1, max(2, side)) }
        }
    }

    /// Sets a field in all structures.
    func set(_ field: String, _ type: GType, _ fill: (UnsafeMutablePointer<GValue>) -> Void) {
        var value = GValue()
        g_value_init(&value, type)
        fill(&value)
        gst_caps_set_value(self, field, &value)
        g_value_unset(&value)
    }
}
