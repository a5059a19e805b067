import CGStreamer

/// How a push or a receive went, as GStreamer says it: any value may come from another element.
///
/// The corresponding C type is `GstFlowReturn`.
public struct FlowResult: Sendable, Equatable {
    public let rawValue: Int32

    public static let ok = Self(GST_FLOW_OK)
    public static let notLinked = Self(GST_FLOW_NOT_LINKED)
    public static let flushing = Self(GST_FLOW_FLUSHING)
    public static let endOfStream = Self(GST_FLOW_EOS)
    public static let notNegotiated = Self(GST_FLOW_NOT_NEGOTIATED)
    public static let error = Self(GST_FLOW_ERROR)

    /// Whether it is an error that must be told to the application: it will not be repaired by a flush or a seek.
    public var isFatal: Bool { rawValue < Self.endOfStream.rawValue }

    /// The name, such as `not-linked`.
    public var name: String { String(cString: gst_flow_get_name(raw)) }

    /// The result with a number that another one had.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    init(_ raw: GstFlowReturn) { rawValue = raw.rawValue }

    var raw: GstFlowReturn { GstFlowReturn(rawValue: rawValue) }
}
