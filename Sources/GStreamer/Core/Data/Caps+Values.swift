import CGStreamer

extension Caps {
    private static let maximumCount = 256

    /// Indices of the structures, but of no more than the first 256.
    public var indices: Range<Int> { 0..<min(count, Self.maximumCount) }

    /// Media type of a structure, such as `video/x-raw`; nil if `index` is out of range.
    public func mediaType(at index: Int = 0) -> String? {
        structure(index).flatMap { gst_structure_get_name($0) }.map { String(cString: $0) }
    }

    /// Names of the fields of a structure; empty if `index` is out of range.
    public func fields(at index: Int = 0) -> [String] {
        guard let structure = structure(index) else { return [] }
        return (0..<max(0, gst_structure_n_fields(structure))).compactMap {
            gst_structure_nth_field_name(structure, guint($0)).map { String(cString: $0) }
        }
    }

    /// Value of a field of a structure; nil if there is no such field.
    ///
    /// The corresponding C function is `gst_structure_get_value`.
    public func value(_ field: String, at index: Int = 0) -> Structure.Value? {
        structure(index).flatMap { gst_structure_get_value($0, field) }.flatMap { Structure.Value($0) }
    }

    /// Whether a structure has only the caps feature of system memory; true if `index` is out of range.
    public func isInSystemMemory(at index: Int = 0) -> Bool {
        guard structure(index) != nil, let features = gst_caps_get_features(raw, guint(index)) else { return true }
        return gst_caps_features_is_equal(features, cgst_system_memory_features()) != 0
    }

    /// Whether a structure has the same caps features as the first structure of `other`.
    public func hasFeatures(of other: Caps, at index: Int = 0) -> Bool {
        guard structure(index) != nil, other.structure(0) != nil,
            let features = gst_caps_get_features(raw, guint(index)), let others = gst_caps_get_features(other.raw, 0)
        else { return false }
        return gst_caps_features_is_equal(features, others) != 0
    }

    /// A copy of the caps with a field set in all structures; unchanged if the caps are ANY or `value` has no `GValue`.
    ///
    /// The corresponding C function is `gst_caps_set_value`.
    public func setting(_ field: String, to value: Structure.Value) -> Caps {
        guard !isAny, let copy = gst_caps_copy(raw), var value = value.makeValue() else { return self }
        gst_caps_set_value(copy, field, &value)
        g_value_unset(&value)
        return Caps(taking: copy)
    }

    /// The first structure, in which `field` is the permitted number that is nearest to `value`.
    ///
    /// A field that is neither a range nor a list of integers does not change. Without such a field, the method returns
    /// the caps. The corresponding C function is `gst_structure_fixate_field_nearest_int`.
    public func nearest(_ field: String, to value: Int) -> Caps {
        guard let found = structure(0), gst_structure_has_field(found, field) != 0,
            let copy = gst_caps_copy_nth(raw, 0), let first = gst_caps_get_structure(copy, 0)
        else { return self }
        gst_structure_fixate_field_nearest_int(first, field, gint(clamping: value))
        return Caps(taking: copy)
    }

    /// The structures of these caps, followed by those of `other`.
    ///
    /// The corresponding C function is `gst_caps_merge`.
    public func merging(_ other: Caps) -> Caps {
        // The function takes ownership of both references.
        Caps(taking: gst_caps_merge(gst_caps_ref(raw), gst_caps_ref(other.raw)))
    }

    private func structure(_ index: Int) -> UnsafeMutablePointer<GstStructure>? {
        guard let index = guint(exactly: index), index < gst_caps_get_size(raw) else { return nil }
        return gst_caps_get_structure(raw, index)
    }
}
