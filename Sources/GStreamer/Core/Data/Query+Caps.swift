import CGStreamer

extension Query {
    /// The filter caps of the query; nil if there is no filter.
    ///
    /// The corresponding C function is `gst_query_parse_caps`.
    public var capsFilter: Caps? {
        guard kind == .caps else { return nil }
        var filter: UnsafeMutablePointer<GstCaps>?
        gst_query_parse_caps(raw, &filter)
        return filter.map { Caps($0) }
    }

    /// The answer to a CAPS query; nil if there is none yet, and for another query.
    ///
    /// The corresponding C functions are `gst_query_parse_caps_result` and `gst_query_set_caps_result`.
    public var capsResult: Caps? {
        get {
            guard kind == .caps else { return nil }
            var result: UnsafeMutablePointer<GstCaps>?
            gst_query_parse_caps_result(raw, &result)
            return result.map { Caps($0) }
        }
        nonmutating set {
            guard kind == .caps, let newValue else { return }
            gst_query_set_caps_result(raw, newValue.raw)
        }
    }
}
