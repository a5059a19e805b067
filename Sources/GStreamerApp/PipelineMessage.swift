import CGStreamer
public import GStreamer

/// An error or a warning of an element, with a text for the user.
///
/// The corresponding C type is `GError`.
public struct PipelineError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The sentence for the user.
    public let text: String
    /// The name of the element; nil if no element is the cause.
    public let source: String?
    /// The domain of the code, such as `gst-resource-error-quark`; `gst-swift` for an error of this library.
    public let domain: String
    /// The code in the domain, such as 3 (`GST_RESOURCE_ERROR_NOT_FOUND`); 0 for an error of this library.
    public let code: Int32
    /// Details for developers; nil if there are none.
    public let debug: String?

    /// The text, after the name of the element.
    public var description: String { source.map { "\($0): \(text)" } ?? text }

    init(text: String) { (self.text, source, domain, code, debug) = (text, nil, "gst-swift", 0, nil) }

    init(_ error: UnsafeMutablePointer<GError>?, source: String?, debug: UnsafePointer<CChar>?) {
        text = error.flatMap { $0.pointee.message }.map { String(cString: $0) } ?? "unknown error"
        domain = error.flatMap { g_quark_to_string($0.pointee.domain) }.map { String(cString: $0) } ?? ""
        code = error?.pointee.code ?? 0
        self.source = source
        self.debug = debug.map { String(cString: $0) }
    }
}

/// A message of the bus, as a value.
///
/// The corresponding C type is `GstMessage`.
public struct PipelineMessage: Sendable {
    /// The kind of a message, with its values.
    public enum Contents: Sendable {
        /// All sinks have received the end of the stream.
        case endOfStream
        /// An element cannot go on.
        case error(PipelineError)
        /// An element goes on in spite of a problem.
        case warning(PipelineError)
        /// Metadata of the stream.
        case tags(TagList)
        /// The state of an element, or of the pipeline, has changed.
        case stateChanged(from: ElementReference.State, to: ElementReference.State)
        /// The share of a network buffer that is filled, 0 to 100; an application pauses until it is 100.
        case buffering(percent: Int)
        /// The pipeline has prerolled, after a state change or a seek.
        case prerolled
        /// A message of the kind that an element defines, such as `performance-alert` of `perfmonitor`.
        case element(Structure)
        /// Another message, by the name of its type, such as `latency`.
        case other(String)
    }

    /// The kind of the message, with its values.
    public let contents: Contents
    /// The name of the object that posted the message; nil if there is none.
    public let source: String?
    /// Whether the pipeline itself posted the message, instead of an element in it.
    public let isFromPipeline: Bool

    init(_ raw: UnsafeMutablePointer<GstMessage>, pipeline: UInt) {
        isFromPipeline = UInt(bitPattern: raw.pointee.src) == pipeline
        source = raw.pointee.src.flatMap { gst_object_get_name($0) }.map { name in
            defer { g_free(name) }
            return String(cString: name)
        }
        switch raw.pointee.type {
        case GST_MESSAGE_EOS: contents = .endOfStream
        case GST_MESSAGE_ERROR: contents = .error(Self.problem(raw, source, gst_message_parse_error))
        case GST_MESSAGE_WARNING: contents = .warning(Self.problem(raw, source, gst_message_parse_warning))
        case GST_MESSAGE_TAG:
            var tags: UnsafeMutablePointer<GstTagList>?
            gst_message_parse_tag(raw, &tags)
            defer { tags.map { gst_tag_list_unref($0) } }
            contents = .tags(tags.map { TagList(unsafe: $0) } ?? TagList())
        case GST_MESSAGE_STATE_CHANGED:
            var (old, new) = (GST_STATE_NULL, GST_STATE_NULL)
            gst_message_parse_state_changed(raw, &old, &new, nil)
            contents = .stateChanged(from: ElementReference.State(unsafe: old), to: ElementReference.State(unsafe: new))
        case GST_MESSAGE_BUFFERING:
            var percent: gint = 0
            gst_message_parse_buffering(raw, &percent)
            contents = .buffering(percent: Int(percent))
        case GST_MESSAGE_ASYNC_DONE: contents = .prerolled
        case GST_MESSAGE_ELEMENT:
            contents = gst_message_get_structure(raw).map { .element(Structure(unsafe: $0)) } ?? .other("element")
        default: contents = .other(gst_message_type_get_name(raw.pointee.type).map { String(cString: $0) } ?? "")
        }
    }

    private typealias Parse = (
        UnsafeMutablePointer<GstMessage>?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?,
        UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?
    ) -> Void

    private static func problem(
        _ raw: UnsafeMutablePointer<GstMessage>, _ source: String?, _ parse: Parse
    ) -> PipelineError {
        var (error, debug): (UnsafeMutablePointer<GError>?, UnsafeMutablePointer<gchar>?)
        parse(raw, &error, &debug)
        defer {
            g_clear_error(&error)
            g_free(debug)
        }
        return PipelineError(error, source: source, debug: debug)
    }
}
