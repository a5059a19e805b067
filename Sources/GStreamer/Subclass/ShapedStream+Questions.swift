import CGStreamer

/// What the elements around can do.
extension ShapedStream {
    /// Whether something behind takes frames of fewer pixels; true as long as nobody can tell.
    ///
    /// On any thread but the streaming one.
    public func downstreamTakesLess(than width: Int32, _ height: Int32) -> Bool {
        guard let caps = gst_pad_get_current_caps(sink) else { return true }
        defer { gst_caps_unref(caps) }
        guard let less = gst_caps_copy(caps) else { return true }
        defer { gst_caps_unref(less) }
        less.setSides(upTo: max(1, width &- 1), max(1, height &- 1))
        return downstreamTakes(less)
    }

    /// What the source says it can send; nothing where it cannot be asked.
    ///
    /// On any thread but the streaming one.
    public func sourceOffers() -> [StreamOffer] {
        guard let caps = gst_pad_get_current_caps(sink) else { return [] }
        defer { gst_caps_unref(caps) }
        return offers(like: caps)
    }

    private func offers(like caps: UnsafeMutablePointer<GstCaps>) -> [StreamOffer] {
        guard let answer = gst_pad_peer_query_caps(sink, nil) else { return [] }
        defer { gst_caps_unref(answer) }
        return StreamOffer.all(in: answer, like: caps)
    }

    func downstreamTakes(_ caps: UnsafeMutablePointer<GstCaps>) -> Bool {
        guard let answer = gst_pad_peer_query_caps(source, caps) else { return false }
        defer { gst_caps_unref(answer) }
        return gst_caps_is_empty(answer) == 0
    }

    /// Asks upstream to agree on caps anew, when it can make what is wished for; on the streaming thread.
    ///
    /// Between two frames, when none is on its way from the source: one with old caps would be refused by a capsfilter
    /// that has new ones and is told to agree anew. The corresponding C function is `gst_event_new_reconfigure`.
    func askUpstream(_ box: any ShapedBin) {
        guard let input, let picture = StreamPicture(input) else { return }
        if box.choose(from: offers(like: input), now: picture) {
            gst_pad_push_event(sink, gst_event_new_reconfigure())
        }
    }
}
