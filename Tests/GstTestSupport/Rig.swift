import CGStreamer
import Synchronization

public typealias RawPad = UnsafeMutablePointer<GstPad>

/// The element under test, between a source pad that the test drives and a sink pad that keeps its buffers.
///
/// Unlike with a `Harness`, the test itself blocks and links the pads, and answers their queries.
open class Rig: @unchecked Sendable {  // Pads and record have their own mutexes.
    public let element: RawElement
    public let source: RawPad
    public private(set) var sink: RawPad?
    public let record = RigRecord()
    private let bus: UnsafeMutablePointer<GstBus>
    private var probe: gulong = 0

    public init(_ factory: String, _ settings: [(String, String)]) {
        _ = Setup.once
        element = gst_element_factory_make(factory, nil)!
        gst_object_ref_sink(element)
        bus = gst_bus_new()!
        gst_element_set_bus(element, bus)
        source = gst_pad_new("source", GST_PAD_SRC)!
        gst_object_ref_sink(source)
        record.connect(source: source)
        gst_pad_set_active(source, 1)
        let pad = gst_element_get_static_pad(element, "sink")!
        gst_pad_link(source, pad)
        gst_object_unref(pad)
        for (name, value) in settings { set(name, value) }
    }

    deinit {
        gst_element_set_state(element, GST_STATE_NULL)
        gst_pad_set_active(source, 0)
        if let sink {
            gst_pad_set_active(sink, 0)
            gst_object_unref(sink)
        }
        release()
        gst_object_unref(source)
        gst_element_set_bus(element, nil)
        gst_object_unref(bus)
        gst_object_unref(element)
    }

    // MARK: Settings and states

    public var object: UnsafeMutablePointer<GObject> { element.object }

    public func set(_ name: String, _ text: String) { element.set(name, to: text) }

    public func number(_ name: String) -> UInt64 { Self.number(name, of: element) }

    /// The value of a property of type `guint` or `guint64`.
    public static func number(_ name: String, of element: RawElement) -> UInt64 {
        element.withValue(of: name) {
            g_object_get_property(element.object, name, $0)
            if $0.pointee.g_type == cgst_type_uint() { return UInt64(g_value_get_uint($0)) }
            return UInt64(g_value_get_uint64($0))
        }
    }

    @discardableResult
    public func go(_ state: GstState) -> GstStateChangeReturn { gst_element_set_state(element, state) }

    // MARK: Source pad

    public func begin(caps: String? = nil, format: GstFormat = GST_FORMAT_BYTES) {
        gst_pad_push_event(source, gst_event_new_stream_start("test"))
        if let caps { self.caps(caps) }
        var segment = GstSegment()
        gst_segment_init(&segment, format)
        gst_pad_push_event(source, gst_event_new_segment(&segment))
    }

    public func caps(_ text: String) {
        let caps = gst_caps_from_string(text)
        gst_pad_push_event(source, gst_event_new_caps(caps))
        gst_caps_unref(caps)
    }

    public static func buffer(
        pts: UInt64? = nil, duration: UInt64? = nil, flags: GstBufferFlags = GstBufferFlags(rawValue: 0), size: Int = 4
    ) -> RawBuffer {
        let buffer = gst_buffer_new_allocate(nil, gsize(size), nil)!
        if let pts { buffer.pointee.pts = GstClockTime(pts) }
        if let duration { buffer.pointee.duration = GstClockTime(duration) }
        cgst_buffer_set_flag(buffer, guint(flags.rawValue))
        return buffer
    }

    @discardableResult
    public func push(_ buffer: RawBuffer = Rig.buffer()) -> GstFlowReturn { gst_pad_push(source, buffer) }

    @discardableResult
    public func push(list: [RawBuffer]) -> GstFlowReturn {
        let raw = gst_buffer_list_new()!
        for buffer in list { gst_buffer_list_insert(raw, -1, buffer) }
        return gst_pad_push_list(source, raw)
    }

    /// Sends a DRAIN query and returns its result.
    public func drain() -> Bool {
        let query = gst_query_new_drain()
        defer { gst_query_unref(query) }
        return gst_pad_peer_query(source, query) != 0
    }

    // MARK: Sink pad

    /// Blocks the source pad of the element.
    public func block() {
        let pad = sourcePad
        probe = gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, nil, nil, nil)
        gst_object_unref(pad)
    }

    public func unblock() {
        let pad = sourcePad
        gst_pad_remove_probe(pad, probe)
        gst_object_unref(pad)
    }

    /// The source pad of the element (transfer full).
    public var sourcePad: RawPad { gst_element_get_static_pad(element, "src")! }

    /// Links a sink pad that keeps its buffers.
    public func link() {
        let pad = record.makeSink()
        sink = pad
        let source = sourcePad
        gst_pad_link(source, pad)
        gst_object_unref(source)
    }

    /// Makes the sink pad answer all serialized queries with true.
    public func answerSerializedQueries() {
        gst_pad_set_query_function_full(
            sink,
            { pad, parent, query in
                let flags = gst_query_type_get_flags(query!.pointee.type).rawValue
                if flags & GST_QUERY_TYPE_SERIALIZED.rawValue != 0 { return 1 }
                return gst_pad_query_default(pad, parent, query)
            }, nil, nil)
    }

    /// The buffers that the sink pad keeps (transfer none).
    public var buffers: [RawBuffer] { record.buffers }
    /// Names of the received events and buffers in order; `buffer!` is a buffer with DISCONT.
    public var order: [String] { record.order }

    /// Releases only the oldest buffer that the sink pad keeps.
    public func releaseOne() { record.releaseOne() }

    /// Releases all buffers and events that the sink pad keeps.
    public func release() { record.release() }

    // MARK: Bus

    /// Messages posted since the last call: type and structure, which includes the text of errors and warnings.
    public func messages() -> [(type: String, text: String)] {
        var all: [(type: String, text: String)] = []
        while let message = gst_bus_pop(bus) {
            let type = String(cString: gst_message_type_get_name(message.pointee.type))
            var text = ""
            if let structure = gst_message_get_structure(message), let written = gst_structure_to_string(structure) {
                text = String(cString: written)
                g_free(written)
            }
            gst_message_unref(message)
            if type != "state-changed", type != "stream-status" { all.append((type, text)) }
        }
        return all
    }
}
