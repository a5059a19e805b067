import CGStreamer

extension Caps {
    /// The number of values, and of alternatives, that are read.
    private static let most = 256

    /// The indices of the alternatives; at most 256.
    public var indices: Range<Int> { 0..<min(count, Self.most) }

    /// The media type of an alternative, such as `video/x-raw`; nil when there are not as many.
    public func mediaType(at index: Int = 0) -> String? {
        structure(index).flatMap { gst_structure_get_name($0) }.map { String(cString: $0) }
    }

    /// The names of the fields of an alternative.
    public func fields(at index: Int = 0) -> [String] {
        guard let structure = structure(index) else { return [] }
        return (0..<max(0, gst_structure_n_fields(structure))).compactMap {
            gst_structure_nth_field_name(structure, guint($0)).map { String(cString: $0) }
        }
    }

    /// The value of a field of an alternative; nil when there is none.
    ///
    /// The corresponding C function is `gst_structure_get_value`.
    public func value(_ field: String, at index: Int = 0) -> Structure.Value? {
        structure(index).flatMap { gst_structure_get_value($0, field) }.flatMap { Structure.Value($0) }
    }

    /// The value of a field as `gst-launch-1.0` writes it.
    public func text(_ field: String, at index: Int = 0) -> String? {
        structure(index).flatMap { gst_structure_get_value($0, field) }.map { serialized($0) ?? "" }
    }

    /// Whether an alternative has no features but system memory.
    public func isInSystemMemory(at index: Int = 0) -> Bool {
        guard structure(index) != nil, let features = gst_caps_get_features(raw, guint(index)) else { return true }
        return gst_caps_features_is_equal(features, cgst_system_memory_features()) != 0
    }

    /// Whether an alternative has the same features as the first one of `other`.
    public func hasFeatures(of other: Caps, at index: Int = 0) -> Bool {
        guard structure(index) != nil, other.structure(0) != nil,
            let features = gst_caps_get_features(raw, guint(index)), let others = gst_caps_get_features(other.raw, 0)
        else { return false }
        return gst_caps_features_is_equal(features, others) != 0
    }

    /// A copy with a field set in all alternatives; `.other` cannot be set.
    ///
    /// The corresponding C function is `gst_caps_set_value`.
    public func setting(_ field: String, to value: Structure.Value) -> Caps {
        guard !isAny, let copy = gst_caps_copy(raw), var value = value.makeValue() else { return self }
        gst_caps_set_value(copy, field, &value)
        g_value_unset(&value)
        return Caps(taking: copy)
    }

    /// The alternatives of these caps, and those of `other` behind them.
    ///
    /// The corresponding C function is `gst_caps_merge`.
    public func merging(_ other: Caps) -> Caps {
        // It takes both references.
        Caps(taking: gst_caps_merge(gst_caps_ref(raw), gst_caps_ref(other.raw)))
    }

    private func structure(_ index: Int) -> UnsafeMutablePointer<GstStructure>? {
        guard let index = guint(exactly: index), index < gst_caps_get_size(raw) else { return nil }
        return gst_caps_get_structure(raw, index)
    }
}
