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
        let search = HolderSearch(isSought)
        search.follow(raw)
        return search.certain ?? search.likely ?? search.first
    }

    /// The latency that the stream has at its farthest point behind this pad, in nanoseconds; nil when nobody knows.
    ///
    /// Sinks do not know before they have shown something, so the source pads before them are asked.
    public func askLatencyBehind() -> UInt64? {
        let search = HolderSearch(nil)
        search.follow(raw)
        return search.latency
    }
}

private final class HolderSearch {
    /// Nil when only the latency is of interest.
    let isSought: ((RawBuffer) -> Bool)?
    var latency: UInt64?
    var certain: FrameHolder?
    var likely: FrameHolder?
    var first: FrameHolder?

    init(_ isSought: ((RawBuffer) -> Bool)?) { self.isSought = isSought }

    func follow(_ source: UnsafeMutablePointer<GstPad>) {
        var walk = PipelineWalk(.downstream, pad: { if self.isSought == nil { self.ask($0) } }) { element in
            if self.isSought != nil { self.look(at: element) }
            return self.certain == nil
        }
        walk.follow(source)
    }

    private func ask(_ source: UnsafeMutablePointer<GstPad>) {
        guard let query = gst_query_new_latency() else { return }
        defer { gst_query_unref(query) }
        if gst_pad_query(source, query) != 0 { latency = max(latency ?? 0, Query(raw: query).latency.minimum) }
    }

    private func look(at element: UnsafeMutablePointer<GstElement>) {
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
