import CGStreamer

/// What the elements around can do.
extension ShapedStream {
    /// Whether frames can become smaller than so many pixels: it is done here or at the source, and taken behind.
    ///
    /// True as long as nobody can tell. On any thread but the streaming one.
    public func canShrink(below width: Int32, _ height: Int32) -> Bool {
        guard let caps = gst_pad_get_current_caps(sink) else { return true }
        defer { gst_caps_unref(caps) }
        guard let picture = StreamPicture(caps), let less = gst_caps_copy(caps) else { return true }
        defer { gst_caps_unref(less) }
        for (field, side) in [("width", width), ("height", height)] {
            less.set(field, gst_int_range_get_type()) { gst_value_set_int_range($0, 1, max(2, side &- 1)) }
        }
        return downstreamTakes(less) && (picture.isScalable || upstreamMakes(less))
    }

    func downstreamTakes(_ caps: UnsafeMutablePointer<GstCaps>) -> Bool {
        isSome(gst_pad_peer_query_caps(source, caps))
    }

    private func upstreamMakes(_ caps: UnsafeMutablePointer<GstCaps>) -> Bool {
        isSome(gst_pad_peer_query_caps(sink, caps))
    }

    /// Takes the reference.
    private func isSome(_ answer: UnsafeMutablePointer<GstCaps>?) -> Bool {
        guard let answer else { return false }
        defer { gst_caps_unref(answer) }
        return gst_caps_is_empty(answer) == 0
    }

    /// Asks upstream to agree on caps anew, when it can make what is wished for; on the streaming thread.
    ///
    /// Between two frames, when none is on its way from the source: one with old caps would be refused by a capsfilter
    /// that has new ones and is told to agree anew. The corresponding C function is `gst_event_new_reconfigure`.
    func askUpstream(_ box: BinBox) {
        guard let input, let picture = StreamPicture(input), let caps = gst_pad_peer_query_caps(sink, nil) else {
            return
        }
        defer { gst_caps_unref(caps) }
        if box.choose(from: StreamOffer.all(in: caps, like: input), now: picture) {
            gst_pad_push_event(sink, gst_event_new_reconfigure())
        }
    }
}
