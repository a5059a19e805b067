import CGStreamer
import GstTestSupport
import TestSupport
import Synchronization

/// Handles the bus messages of a pipeline on a thread, as an application does, and keeps them as texts.
///
/// After a LATENCY message, the thread recalculates the latency, as `gst-launch-1.0` does.
final class BusWatch: Sendable {
    private final class Log: Sendable {
        let state = Mutex((texts: [String](), isOver: false))
    }

    private let log: Log
    private let thread: TestThread

    init(_ pipeline: RawElement) {
        let log = Log()
        self.log = log
        let pipeline = Shared(value: gst_object_ref(pipeline)!.assumingMemoryBound(to: GstBin.self))
        thread = TestThread {
            let element = UnsafeMutableRawPointer(pipeline.value).assumingMemoryBound(to: GstElement.self)
            let bus = gst_element_get_bus(element)
            while !log.state.withLock({ $0.isOver }) {
                guard let message = gst_bus_timed_pop(bus, 20_000_000) else { continue }
                if message.pointee.type == GST_MESSAGE_LATENCY { gst_bin_recalculate_latency(pipeline.value) }
                if let text = Self.text(of: message) { log.state.withLock { $0.texts.append(text) } }
                gst_message_unref(message)
            }
            gst_object_unref(bus)
            gst_object_unref(pipeline.value)
        }
    }

    /// Ends the thread; the caller must call this method exactly once.
    func end() {
        log.state.withLock { $0.isOver = true }
        thread.join()
    }

    /// All messages so far: `warning: text`, `info: text`, `element: structure`, `tag: list`, `eos`.
    var texts: [String] { log.state.withLock { $0.texts } }

    /// Warnings and errors so far.
    var problems: [String] { texts.filter { $0.hasPrefix("warning") || $0.hasPrefix("error") } }

    /// Messages that start with a text.
    func texts(_ prefix: String) -> [String] { texts.filter { $0.hasPrefix(prefix) } }

    /// Waits for a message that starts with `prefix` and contains `parts`; returns false after `limit`.
    func has(_ prefix: String, _ parts: String..., within limit: Duration = patience) -> Bool {
        eventually(within: limit) {
            texts(prefix).contains { text in parts.allSatisfy { text.contains($0) } }
        }
    }

    private static func text(of message: UnsafeMutablePointer<GstMessage>) -> String? {
        switch message.pointee.type {
        case GST_MESSAGE_EOS: return "eos"
        case GST_MESSAGE_ELEMENT:
            return "element: " + taken(gst_structure_to_string(gst_message_get_structure(message)))
        case GST_MESSAGE_TAG: return "tag: " + tags(of: message)
        case GST_MESSAGE_INFO: return "info: " + problem(message, gst_message_parse_info)
        case GST_MESSAGE_WARNING: return "warning: " + problem(message, gst_message_parse_warning)
        case GST_MESSAGE_ERROR: return "error: " + problem(message, gst_message_parse_error)
        default: return nil
        }
    }

    private typealias Parser = (
        UnsafeMutablePointer<GstMessage>?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?,
        UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?
    ) -> Void

    private static func problem(_ message: UnsafeMutablePointer<GstMessage>, _ parse: Parser) -> String {
        var error: UnsafeMutablePointer<GError>?
        parse(message, &error, nil)
        defer { g_error_free(error) }
        return error.map { String(cString: $0.pointee.message) } ?? ""
    }

    /// Text of the tags in a message, with the size and the caps of an image.
    private static func tags(of message: UnsafeMutablePointer<GstMessage>) -> String {
        var posted: UnsafeMutablePointer<GstTagList>?
        gst_message_parse_tag(message, &posted)
        let list = gst_tag_list_copy(posted)
        gst_tag_list_unref(posted)
        defer { gst_tag_list_unref(list) }
        var sample: OpaquePointer?
        var image = ""
        if gst_tag_list_get_sample(list, "image", &sample) != 0 {
            let caps = taken(gst_caps_to_string(gst_sample_get_caps(sample)))
            image = " image of \(gst_buffer_get_size(gst_sample_get_buffer(sample))) bytes as \(caps)"
            gst_sample_unref(sample)
            gst_tag_list_remove_tag(list, "image")
        }
        return taken(gst_tag_list_to_string(list)) + image
    }

    private static func taken(_ text: UnsafeMutablePointer<gchar>?) -> String {
        defer { g_free(text) }
        return text.map { String(cString: $0) } ?? ""
    }
}
