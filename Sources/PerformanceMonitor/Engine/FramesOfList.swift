import CGStreamer

/// The frames of a buffer list, as a pad counts them.
enum FramesOfList {
    /// The function for lists of a new pad, which calls the function for buffers with each buffer.
    private static let dividingFunction: UInt = {
        guard let pad = gst_pad_new(nil, GST_PAD_SINK) else { return 0 }
        defer { gst_object_unref(gst_object_ref_sink(pad)) }
        return unsafeBitCast(pad.pointee.chainlistfunc, to: UInt.self)
    }()

    /// Makes what `areDivided` needs; not on a streaming thread.
    static func prepare() { _ = dividingFunction }

    /// Whether the element has no function for lists, so that the pad passes each buffer on its own, too.
    static func areDivided(by pad: UnsafeMutablePointer<GstPad>) -> Bool {
        pad.pointee.direction == GST_PAD_SINK
            && unsafeBitCast(pad.pointee.chainlistfunc, to: UInt.self) == dividingFunction
    }

    /// Calls `body` with the PTS and the bytes of each frame.
    ///
    /// Neighbours with the same PTS, such as the packets of one frame, are one frame, unless the list is divided.
    static func forEach(of list: OpaquePointer, isDivided: Bool, _ body: (GstClockTime, UInt64) -> Void) {
        var bytes: UInt64 = 0
        var last: GstClockTime?
        for index in 0..<gst_buffer_list_length(list) {
            guard let buffer = gst_buffer_list_get(list, index) else { continue }
            let facts = cgst_buffer_facts(buffer)
            if let last, isDivided || facts.pts != last {
                body(last, bytes)
                bytes = 0
            }
            last = facts.pts
            bytes += UInt64(facts.bytes)
        }
        if let last { body(last, bytes) }
    }
}
