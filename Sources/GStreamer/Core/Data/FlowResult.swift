import CGStreamer

/// How the flow of a buffer ended: what a push returned, and what a streaming method returns or throws.
///
/// Any value may come from another element. An element that cannot go on throws what `ElementHost.fail` returns, which
/// also posts an error; it throws `.flushing` and `.endOfStream` without a message. The corresponding C type is
/// `GstFlowReturn`.
public struct FlowResult: Error, Sendable, Equatable {
    /// The number of the C constant; negative for everything but success.
    public let rawValue: Int32

    /// The buffer was taken.
    public static let ok = Self(GST_FLOW_OK)
    /// The pad is not linked.
    public static let notLinked = Self(GST_FLOW_NOT_LINKED)
    /// The pad flushes, because the pipeline seeks or stops.
    public static let flushing = Self(GST_FLOW_FLUSHING)
    /// The stream is over.
    public static let endOfStream = Self(GST_FLOW_EOS)
    /// The format of the stream cannot be handled.
    public static let notNegotiated = Self(GST_FLOW_NOT_NEGOTIATED)
    /// The stream cannot go on; a message on the bus says why.
    public static let error = Self(GST_FLOW_ERROR)

    /// Whether the stream ends because of it, unless something repairs it: neither a flush nor a seek does.
    public var isFatal: Bool { rawValue < Self.endOfStream.rawValue }

    /// The name, such as `not-linked`.
    public var name: String { String(cString: gst_flow_get_name(raw)) }

    /// The result with the number of another one.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    init(_ raw: GstFlowReturn) { rawValue = raw.rawValue }

    var raw: GstFlowReturn { GstFlowReturn(rawValue: rawValue) }
}

/// Calls `body`; what it throws becomes a C result.
@inline(__always)
func flowReturn(_ body: () throws(FlowResult) -> Void) -> GstFlowReturn {
    do throws(FlowResult) {
        try body()
        return GST_FLOW_OK
    } catch {
        return error.raw
    }
}
