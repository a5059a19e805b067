import CGStreamer

/// Who may be holding a frame, and why.
public struct FrameHolder: Sendable, Equatable {
    public enum Cause: Sendable, Equatable {
        /// It is the sample that the sink keeps to show again.
        case lastSample
        /// Frames lie in a queue.
        case queue
        /// The encoder waits for frames to come.
        case encoder
        case unknown
    }

    public let element: String
    public let cause: Cause
}

extension Pad {
    /// Looks behind this pad for who holds the frame of `token`; takes the locks of the elements there.
    ///
    /// A sink that keeps it as its last sample is certain; all else is the likeliest.
    public func searchHolder(of token: HeldToken) -> FrameHolder? {
        searchHolder { TokenMeta.carries($0, token.raw) }
    }

    /// The same for the frame that `isSought` tells from others.
    func searchHolder(_ isSought: @escaping (RawBuffer) -> Bool) -> FrameHolder? {
        var search = HolderSearch(isSought)
        search.follow(raw)
        return search.certain ?? search.likely ?? search.first
    }

    /// The latency that the stream has at its farthest point behind this pad, in nanoseconds; nil when nobody knows.
    ///
    /// Sinks do not know before they have shown something, so the source pads before them are asked.
    public func askLatencyBehind() -> UInt64? {
        var search = HolderSearch(nil)
        search.follow(raw)
        return search.latency
    }
}

private struct HolderSearch {
    /// Nil when only the latency is of interest.
    let isSought: ((RawBuffer) -> Bool)?
    var latency: UInt64?
    var certain: FrameHolder?
    var likely: FrameHolder?
    var first: FrameHolder?
    /// Pipelines are small; this ends the search in one that goes in circles.
    private var left = 64

    init(_ isSought: ((RawBuffer) -> Bool)?) { self.isSought = isSought }

    mutating func follow(_ source: UnsafeMutablePointer<GstPad>) {
        guard left > 0, certain == nil, let peer = inner(gst_pad_get_peer(source)) else { return }
        left -= 1
        defer { gst_object_unref(peer) }
        guard let parent = gst_object_get_parent(&peer.pointee.object) else { return }
        defer { gst_object_unref(parent) }
        if cgst_is_ghost_pad(UnsafeMutableRawPointer(parent).assumingMemoryBound(to: GstPad.self)) != 0 {
            // The inside of a bin's source pad: go on outside.
            return follow(UnsafeMutableRawPointer(parent).assumingMemoryBound(to: GstPad.self))
        }
        guard cgst_is_element(parent) != 0 else { return }
        let element = UnsafeMutableRawPointer(parent).assumingMemoryBound(to: GstElement.self)
        if isSought != nil { look(at: element) }
        withUnsafeMutablePointer(to: &self) { search in
            _ = gst_element_foreach_src_pad(
                element,
                { _, pad, search in
                    guard let pad, let search = search?.assumingMemoryBound(to: HolderSearch.self) else { return 1 }
                    if search.pointee.isSought == nil { search.pointee.ask(pad) }
                    search.pointee.follow(pad)
                    return 1
                }, search)
        }
    }

    /// The pad inside when `pad` is a bin's; takes and gives a reference.
    private func inner(_ pad: UnsafeMutablePointer<GstPad>?) -> UnsafeMutablePointer<GstPad>? {
        var pad = pad
        while let one = pad, cgst_is_ghost_pad(one) != 0 {
            pad = gst_ghost_pad_get_target(UnsafeMutableRawPointer(one).assumingMemoryBound(to: GstGhostPad.self))
            gst_object_unref(one)
        }
        return pad
    }

    private mutating func ask(_ source: UnsafeMutablePointer<GstPad>) {
        guard let query = gst_query_new_latency() else { return }
        defer { gst_query_unref(query) }
        if gst_pad_query(source, query) != 0 { latency = max(latency ?? 0, Query(raw: query).latency.minimum) }
    }

    private mutating func look(at element: UnsafeMutablePointer<GstElement>) {
        let name = ElementHost(raw: UnsafeMutableRawPointer(element)).name
        if first == nil { first = FrameHolder(element: name, cause: .unknown) }
        if keepsAsLastSample(element) {
            certain = FrameHolder(element: name, cause: .lastSample)
        } else if likely == nil, queuedBuffers(of: element) > 0 {
            likely = FrameHolder(element: name, cause: .queue)
        } else if likely == nil, isEncoder(element) {
            likely = FrameHolder(element: name, cause: .encoder)
        }
    }

    private func keepsAsLastSample(_ element: UnsafeMutablePointer<GstElement>) -> Bool {
        guard let isSought, cgst_has_property(element, "last-sample", cgst_type_sample()) != 0 else { return false }
        var value = GValue()
        g_value_init(&value, cgst_type_sample())
        defer { g_value_unset(&value) }
        g_object_get_property(ElementHost(raw: UnsafeMutableRawPointer(element)).object, "last-sample", &value)
        guard let sample = g_value_get_boxed(&value),
            let buffer = gst_sample_get_buffer(OpaquePointer(sample))
        else { return false }
        return isSought(buffer)
    }

    private func queuedBuffers(of element: UnsafeMutablePointer<GstElement>) -> UInt32 {
        guard cgst_has_property(element, "current-level-buffers", cgst_type_uint()) != 0 else { return 0 }
        var value = GValue()
        g_value_init(&value, cgst_type_uint())
        defer { g_value_unset(&value) }
        g_object_get_property(
            ElementHost(raw: UnsafeMutableRawPointer(element)).object, "current-level-buffers", &value)
        return g_value_get_uint(&value)
    }

    private func isEncoder(_ element: UnsafeMutablePointer<GstElement>) -> Bool {
        guard let classes = gst_element_get_metadata(element, GST_ELEMENT_METADATA_KLASS) else { return false }
        return String(cString: classes).split(separator: "/").contains("Encoder")
    }
}
