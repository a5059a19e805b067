import CGStreamer

/// Result of a push or of a streaming method.
///
/// Downstream may return any value. If a streaming method fails, it throws the result of `ElementHost.fail`, which
/// posts an error message. `.flushing` and `.endOfStream` are thrown without a message. The corresponding C type is
/// `GstFlowReturn`.
public struct FlowResult: Error, Sendable, Equatable {
    /// The number of the C constant; negative for all failures.
    public let rawValue: Int32

    /// The buffer was accepted.
    public static let ok = Self(GST_FLOW_OK)
    /// The pad is not linked.
    public static let notLinked = Self(GST_FLOW_NOT_LINKED)
    /// The pad is flushing, because of a seek or a state change.
    public static let flushing = Self(GST_FLOW_FLUSHING)
    /// The stream has ended.
    public static let endOfStream = Self(GST_FLOW_EOS)
    /// The caps of the stream are not accepted.
    public static let notNegotiated = Self(GST_FLOW_NOT_NEGOTIATED)
    /// The buffer is not pushed; for `BaseTransform.transform`.
    ///
    /// The corresponding C constant is `GST_BASE_TRANSFORM_FLOW_DROPPED`.
    public static let dropped = Self(cgst_flow_dropped())
    /// The stream failed; an error message was posted.
    public static let error = Self(GST_FLOW_ERROR)

    /// The name, such as `not-linked`.
    public var name: String { String(cString: gst_flow_get_name(raw)) }

    /// The result with the number `rawValue`.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    init(_ raw: GstFlowReturn) { rawValue = raw.rawValue }

    var raw: GstFlowReturn { GstFlowReturn(rawValue: rawValue) }
}

/// Calls `body`; returns the result that it throws, or OK.
@inline(__always)
func flowReturn(_ body: () throws(FlowResult) -> Void) -> GstFlowReturn {
    do throws(FlowResult) {
        try body()
        return GST_FLOW_OK
    } catch {
        return error.raw
    }
}
