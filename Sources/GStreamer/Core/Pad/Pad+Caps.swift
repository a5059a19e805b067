import CGStreamer

extension Pad {
    /// The negotiated caps; nil before negotiation.
    ///
    /// The corresponding C function is `gst_pad_get_current_caps`.
    public var currentCaps: Caps? { gst_pad_get_current_caps(raw).map { Caps(taking: $0) } }

    /// The caps that the linked pad allows, of those in `filter`.
    ///
    /// The corresponding C function is `gst_pad_peer_query_caps`.
    public func queryPeerCaps(_ filter: Caps? = nil) -> Caps? {
        gst_pad_peer_query_caps(raw, filter?.raw).map { Caps(taking: $0) }
    }

    /// Whether the pad has to negotiate again before the next buffer.
    ///
    /// The corresponding C macro is `GST_PAD_NEEDS_RECONFIGURE`.
    public var needsReconfigure: Bool { cgst_pad_needs_reconfigure(raw) != 0 }

    /// The inner side of a ghost pad, which is linked to the pad of an element inside; it lives as long as the ghost pad.
    ///
    /// The corresponding C function is `gst_proxy_pad_get_internal`.
    public var internalPad: Pad? {
        guard cgst_is_ghost_pad(raw) != 0,
            let proxy = gst_proxy_pad_get_internal(
                UnsafeMutableRawPointer(raw).assumingMemoryBound(to: GstProxyPad.self))
        else { return nil }
        // The ghost pad keeps it.
        gst_object_unref(proxy)
        return Pad(raw: UnsafeMutableRawPointer(proxy).assumingMemoryBound(to: GstPad.self))
    }

    /// Answers queries on this pad with `answer`, on any thread; if it returns false, by default.
    ///
    /// Call it before the pad is used, on a pad that is not connected with its element. The pad keeps `answer` while it
    /// lives. The corresponding C function is `gst_pad_set_query_function_full`.
    public func setQueryFunction(_ answer: @escaping @Sendable (Query) -> Bool) {
        gst_pad_set_query_function_full(
            raw,
            { pad, parent, query in
                guard let pad, let query else { return 0 }
                if let data = pad.pointee.querydata {
                    let isAnswered = Unmanaged<QueryFunction>.fromOpaque(data)._withUnsafeGuaranteedRef {
                        $0.answer(Query(raw: query))
                    }
                    if isAnswered { return 1 }
                }
                return gst_pad_query_default(pad, parent, query)
            }, Unmanaged.passRetained(QueryFunction(answer)).toOpaque(),
            { Unmanaged<QueryFunction>.fromOpaque($0!).release() })
    }
}

private final class QueryFunction: Sendable {
    let answer: @Sendable (Query) -> Bool

    init(_ answer: @escaping @Sendable (Query) -> Bool) { self.answer = answer }
}
