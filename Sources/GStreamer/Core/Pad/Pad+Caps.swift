import CGStreamer

extension Pad {
    /// The negotiated caps; nil before negotiation.
    ///
    /// The corresponding C function is `gst_pad_get_current_caps`.
    public var currentCaps: Caps? { gst_pad_get_current_caps(raw).map { Caps(taking: $0) } }

    /// The caps that the peer pad accepts, restricted to `filter` if it is not nil.
    ///
    /// The corresponding C function is `gst_pad_peer_query_caps`.
    public func queryPeerCaps(_ filter: Caps? = nil) -> Caps? {
        gst_pad_peer_query_caps(raw, filter?.raw).map { Caps(taking: $0) }
    }

    /// Whether the pad must renegotiate before the next buffer.
    ///
    /// The corresponding C macro is `GST_PAD_NEEDS_RECONFIGURE`.
    public var needsReconfigure: Bool { cgst_pad_needs_reconfigure(raw) != 0 }

    /// The internal proxy pad of a ghost pad, linked to a pad in the bin; nil for other pads.
    ///
    /// The corresponding C function is `gst_proxy_pad_get_internal`.
    public var internalPad: Pad? {
        guard cgst_is_ghost_pad(raw) != 0,
            let proxy = gst_proxy_pad_get_internal(
                UnsafeMutableRawPointer(raw).assumingMemoryBound(to: GstProxyPad.self))
        else { return nil }
        return Pad(taking: UnsafeMutableRawPointer(proxy).assumingMemoryBound(to: GstPad.self))
    }

    /// Makes `answer` the query function, called on any thread; if it returns false, the default function answers.
    ///
    /// Call this before the pad is used, and not on a pad of `ElementHost.addPad`. The pad retains `answer`. The
    /// corresponding C function is `gst_pad_set_query_function_full`.
    public func setQueryFunction(_ answer: @escaping @Sendable (borrowing Query) -> Bool) {
        gst_pad_set_query_function_full(
            raw,
            { pad, parent, query in
                guard let pad, let query else { return 0 }
                if let data = pad.pointee.querydata {
                    let isAnswered = Unmanaged<QueryFunction>.fromOpaque(data)._withUnsafeGuaranteedRef {
                        $0.answer(Query(lending: query))
                    }
                    if isAnswered { return 1 }
                }
                return gst_pad_query_default(pad, parent, query)
            }, Unmanaged.passRetained(QueryFunction(answer)).toOpaque(),
            { Unmanaged<QueryFunction>.fromOpaque($0!).release() })
    }
}

private final class QueryFunction: Sendable {
    let answer: @Sendable (borrowing Query) -> Bool

    init(_ answer: @escaping @Sendable (borrowing Query) -> Bool) { self.answer = answer }
}
