import CGStreamer

/// The buffers of a list.
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

    /// Calls `body` with each buffer.
    static func forEach(of list: OpaquePointer, _ body: (UnsafeMutablePointer<GstBuffer>) -> Void) {
        for index in 0..<gst_buffer_list_length(list) {
            if let buffer = gst_buffer_list_get(list, index) { body(buffer) }
        }
    }
}
