package import CGStreamer

/// An error, a warning, an info or an element message from a bus.
public struct PostedMessage: Equatable, Sendable {
    /// `error`, `warning`, `info` or `element`.
    public var type: String
    /// Text of the GError, or the structure of an element message.
    public var text: String
    /// The last line of the debug text, after the lines in which GStreamer names file, line and element.
    public var debug: String?
    /// The code of the GError; 0 for an element message.
    public var code: Int32

    /// A message to compare with.
    public init(type: String, text: String, debug: String? = nil, code: Int32 = 0) {
        (self.type, self.text, self.debug, self.code) = (type, text, debug, code)
    }

    /// Reads an error, warning, info or element message; returns nil for every other type.
    package init?(_ message: UnsafeMutablePointer<GstMessage>) {
        var error: UnsafeMutablePointer<GError>?
        var debug: UnsafeMutablePointer<gchar>?
        let type = String(cString: gst_message_type_get_name(message.pointee.type))
        switch message.pointee.type {
        case GST_MESSAGE_ERROR: gst_message_parse_error(message, &error, &debug)
        case GST_MESSAGE_WARNING: gst_message_parse_warning(message, &error, &debug)
        case GST_MESSAGE_INFO: gst_message_parse_info(message, &error, &debug)
        case GST_MESSAGE_ELEMENT:
            let text = gst_structure_to_string(gst_message_get_structure(message))!
            self.init(type: type, text: String(cString: text))
            g_free(text)
            return
        default: return nil
        }
        let details = debug.map { String(cString: $0) }?.split(separator: "\n").last.map(String.init)
        self.init(
            type: type, text: String(cString: error!.pointee.message), debug: details, code: error!.pointee.code)
        g_error_free(error)
        g_free(debug)
    }

    /// Takes all messages from `bus`, and returns those with one of the four types.
    package static func all(on bus: UnsafeMutablePointer<GstBus>) -> [PostedMessage] {
        var all: [PostedMessage] = []
        while let message = gst_bus_pop(bus) {
            if let posted = PostedMessage(message) { all.append(posted) }
            gst_message_unref(message)
        }
        return all
    }
}
