public import CGStreamer

/// One reference to a message on the bus.
///
/// The corresponding C type is `GstMessage`.
public struct Message: ~Copyable, @unchecked Sendable {  // The count is atomic; nothing writes to a message.
    /// The kinds of message that the bridge distinguishes.
    ///
    /// The corresponding C type is `GstMessageType`.
    public enum Kind: Sendable, Equatable {
        /// `GST_MESSAGE_EOS`: the end of the stream, in one sink or in all sinks of a bin.
        case endOfStream
        /// `GST_MESSAGE_ERROR`: an element cannot continue.
        case error
        /// `GST_MESSAGE_WARNING`: an element continues in spite of a problem.
        case warning
        /// `GST_MESSAGE_TAG`: metadata of the stream.
        case tag
        /// `GST_MESSAGE_ELEMENT`: a structure that the element defines.
        case element
        /// `GST_MESSAGE_LATENCY`: the latency of an element has changed.
        case latency
        /// Any other message.
        case other
    }

    private let raw: UnsafeMutablePointer<GstMessage>

    init(taking raw: UnsafeMutablePointer<GstMessage>) { self.raw = raw }

    deinit { gst_message_unref(raw) }

    consuming func give() -> UnsafeMutablePointer<GstMessage> {
        let raw = raw
        discard self
        return raw
    }

    /// The kind of the message.
    public var kind: Kind {
        switch raw.pointee.type {
        case GST_MESSAGE_EOS: .endOfStream
        case GST_MESSAGE_ERROR: .error
        case GST_MESSAGE_WARNING: .warning
        case GST_MESSAGE_TAG: .tag
        case GST_MESSAGE_ELEMENT: .element
        case GST_MESSAGE_LATENCY: .latency
        default: .other
        }
    }

    /// The name of the object that posted the message; nil for a message of the application.
    ///
    /// The corresponding C macro is `GST_MESSAGE_SRC_NAME`.
    public var sourceName: String? { raw.pointee.src.map { GStreamer.name(of: $0) } }

    /// Whether `element` posted the message.
    public func isFrom(_ element: ElementReference) -> Bool {
        UnsafeMutableRawPointer(raw.pointee.src) == UnsafeMutableRawPointer(element.raw)
    }

    /// The structure of the message; nil if it has none.
    public var structure: Structure? { gst_message_get_structure(raw).map { Structure($0) } }

    /// Calls `body` with the C message, which is valid during the call.
    public func withUnsafePointer<R>(_ body: (UnsafeMutablePointer<GstMessage>) throws -> R) rethrows -> R {
        try body(raw)
    }
}
