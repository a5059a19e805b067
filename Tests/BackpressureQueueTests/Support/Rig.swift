import CGStreamer
import Synchronization

@testable import BackpressureQueue
@testable import SwiftVideoPlugin

typealias RawBuffer = UnsafeMutablePointer<GstBuffer>
typealias RawPad = UnsafeMutablePointer<GstPad>

enum Setup {
    static let once: Void = {
        gst_init(nil, nil)
        // A critical message is a bug, so it aborts the test run.
        g_log_set_always_fatal(
            GLogLevelFlags(rawValue: G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_ERROR.rawValue))
        _ = registerElements(in: .none)
    }()
}

/// Polls until `condition` is true, for at most `seconds`; false after that.
func eventually(within seconds: Double = 10, _ condition: () -> Bool) -> Bool {
    let end = g_get_monotonic_time() + gint64(seconds * 1_000_000)
    while !condition() {
        if g_get_monotonic_time() > end { return false }
        g_usleep(500)
    }
    return true
}

/// Events, buffers and signals received by the pads of a `Rig`, and the values that the pads return.
///
/// Streaming threads reference the record and never the rig. A streaming thread that released the last reference of the
/// rig would have to join itself.
final class RigRecord: Sendable {
    let overruns = Atomic<Int>(0)
    let underruns = Atomic<Int>(0)
    /// Called in the handler of the signal `overrun`.
    let onOverrun = Mutex<(@Sendable () -> Void)?>(nil)
    /// Flow return of the sink pad.
    let sinkFlow = Atomic<Int32>(GST_FLOW_OK.rawValue)
    /// Whether the sink pad keeps its buffers.
    let sinkKeeps = Atomic<Bool>(true)
    /// Names of the events received from downstream by the source pad.
    let upstream = Mutex<[String]>([])
    /// Minimum and maximum latency for LATENCY queries, in nanoseconds.
    let latency = Mutex<(UInt64, UInt64)>((0, .max))
    fileprivate let arrived = Mutex(Arrived())

    fileprivate struct Arrived: @unchecked Sendable {  // Buffers and events are handed over under the mutex.
        var buffers: [RawBuffer] = []
        var events: [UnsafeMutablePointer<GstEvent>] = []
        var order: [String] = []
    }

    fileprivate var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    fileprivate static func of(_ pointer: UnsafeMutableRawPointer?) -> RigRecord {
        Unmanaged<RigRecord>.fromOpaque(pointer!).takeUnretainedValue()
    }

    fileprivate func took(_ buffer: RawBuffer) -> GstFlowReturn {
        let keeps = sinkKeeps.load(ordering: .relaxed)
        arrived.withLock {
            let isDiscontinuous = cgst_buffer_facts(buffer).flags & guint32(GST_BUFFER_FLAG_DISCONT.rawValue) != 0
            $0.order.append(isDiscontinuous ? "buffer!" : "buffer")
            if keeps { $0.buffers.append(buffer) }
        }
        if !keeps { gst_buffer_unref(buffer) }
        return GstFlowReturn(rawValue: sinkFlow.load(ordering: .relaxed))
    }

    fileprivate func took(_ event: UnsafeMutablePointer<GstEvent>) {
        arrived.withLock {
            $0.order.append(String(cString: gst_event_type_get_name(event.pointee.type)))
            $0.events.append(event)
        }
    }
}

/// The element under test between a source pad driven by the test and a sink pad that keeps its buffers.
final class Rig: @unchecked Sendable {  // Pads and record have their own mutexes.
    let element: UnsafeMutablePointer<GstElement>
    let source: RawPad
    private(set) var sink: RawPad?
    let bus: UnsafeMutablePointer<GstBus>
    private var probe: gulong = 0
    let record = RigRecord()

    init(_ factory: String = "backpressurequeue", _ settings: [(String, String)] = Rig.plain) {
        _ = Setup.once
        element = gst_element_factory_make(factory, nil)!
        gst_object_ref_sink(element)
        bus = gst_bus_new()!
        gst_element_set_bus(element, bus)
        source = gst_pad_new("source", GST_PAD_SRC)!
        gst_object_ref_sink(source)
        connect("underrun") { _, record in RigRecord.of(record).underruns.add(1, ordering: .relaxed) }
        connect("overrun") { _, record in
            let record = RigRecord.of(record)
            record.overruns.add(1, ordering: .relaxed)
            record.onOverrun.withLock { $0 }?()
        }
        connectSource()
        for (name, value) in settings { set(name, value) }
    }

    /// The settings of `queue`, without a limit of frames in flight.
    static let plain = [
        ("max-in-flight", "4294967295"), ("max-size-buffers", "200"), ("max-size-bytes", "10485760"),
        ("max-size-time", "1000000000"), ("leaky", "no"),
    ]

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

    var object: UnsafeMutablePointer<GObject> {
        UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self)
    }

    func set(_ name: String, _ text: String) { gst_util_set_object_arg(object, name, text) }

    func number(_ name: String) -> UInt64 { Self.number(name, of: element) }

    static func number(_ name: String, of element: UnsafeMutablePointer<GstElement>) -> UInt64 {
        var value = GValue()
        g_object_get_property(UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self), name, &value)
        defer { g_value_unset(&value) }
        if value.g_type == cgst_type_uint() { return UInt64(g_value_get_uint(&value)) }
        return UInt64(g_value_get_uint64(&value))
    }

    func statistic(_ name: String) -> UInt64 {
        var value = GValue()
        g_object_get_property(object, "stats", &value)
        defer { g_value_unset(&value) }
        let structure = g_value_get_boxed(&value)!.assumingMemoryBound(to: GstStructure.self)
        var number: guint64 = 0
        if gst_structure_get_uint64(structure, name, &number) != 0 { return UInt64(number) }
        var small: guint = 0
        gst_structure_get_uint(structure, name, &small)
        return UInt64(small)
    }

    /// Whether `in` equals `out` plus `dropped` plus `queued`, read at one moment.
    var isConserved: Bool {
        var value = GValue()
        g_object_get_property(object, "stats", &value)
        defer { g_value_unset(&value) }
        let structure = g_value_get_boxed(&value)!.assumingMemoryBound(to: GstStructure.self)
        func read(_ name: String) -> UInt64 {
            var number: guint64 = 0
            gst_structure_get_uint64(structure, name, &number)
            return UInt64(number)
        }
        var queued: guint = 0
        gst_structure_get_uint(structure, "queued", &queued)
        return read("in") == read("out") + read("dropped") + UInt64(queued)
    }

    @discardableResult
    func go(_ state: GstState) -> GstStateChangeReturn { gst_element_set_state(element, state) }

    /// Sets the element to PLAYING and waits for the `underrun` that shows that its task runs.
    func play() {
        let before = record.underruns.load(ordering: .relaxed)
        go(GST_STATE_PLAYING)
        _ = eventually { record.underruns.load(ordering: .relaxed) > before }
    }

    // MARK: Source pad

    func begin(caps: String? = nil, format: GstFormat = GST_FORMAT_BYTES) {
        gst_pad_push_event(source, gst_event_new_stream_start("test"))
        if let caps { self.caps(caps) }
        var segment = GstSegment()
        gst_segment_init(&segment, format)
        gst_pad_push_event(source, gst_event_new_segment(&segment))
    }

    func caps(_ text: String) {
        let caps = gst_caps_from_string(text)
        gst_pad_push_event(source, gst_event_new_caps(caps))
        gst_caps_unref(caps)
    }

    static func buffer(
        pts: UInt64? = nil, duration: UInt64? = nil, flags: GstBufferFlags = GstBufferFlags(rawValue: 0), size: Int = 4
    ) -> RawBuffer {
        let buffer = gst_buffer_new_allocate(nil, gsize(size), nil)!
        if let pts { buffer.pointee.pts = GstClockTime(pts) }
        if let duration { buffer.pointee.duration = GstClockTime(duration) }
        cgst_buffer_set_flag(buffer, guint(flags.rawValue))
        return buffer
    }

    @discardableResult
    func push(_ buffer: RawBuffer = Rig.buffer()) -> GstFlowReturn { gst_pad_push(source, buffer) }

    @discardableResult
    func push(list: [RawBuffer]) -> GstFlowReturn {
        let raw = gst_buffer_list_new()!
        for buffer in list { gst_buffer_list_insert(raw, -1, buffer) }
        return gst_pad_push_list(source, raw)
    }

    // MARK: Sink pad

    func block() {
        let pad = sourcePad
        probe = gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, nil, nil, nil)
        gst_object_unref(pad)
    }

    func unblock() {
        let pad = sourcePad
        gst_pad_remove_probe(pad, probe)
        gst_object_unref(pad)
    }

    /// Links the sink pad and removes the block at the first `overrun`.
    func flowOnOverrun() {
        record.onOverrun.withLock {
            $0 = { [unowned self] in
                link()
                unblock()
            }
        }
    }

    /// The source pad of the element (transfer full).
    var sourcePad: RawPad { gst_element_get_static_pad(element, "src")! }

    func link() {
        // A pad without a template accepts no caps other than its first.
        let any = gst_caps_new_any()!
        let template = gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, any)!
        let pad = gst_pad_new_from_template(template, "sink")!
        gst_object_unref(template)
        gst_caps_unref(any)
        gst_object_ref_sink(pad)
        sink = pad
        pad.pointee.chaindata = record.pointer
        gst_pad_set_chain_function_full(
            pad, { pad, _, buffer in RigRecord.of(pad!.pointee.chaindata).took(buffer!) }, record.pointer, nil)
        gst_pad_set_event_function_full(
            pad,
            { pad, _, event in
                RigRecord.of(pad!.pointee.chaindata).took(event!)
                return 1
            }, nil, nil)
        gst_pad_set_active(pad, 1)
        let source = sourcePad
        gst_pad_link(source, pad)
        gst_object_unref(source)
    }

    /// Makes the sink pad answer all serialized queries with true.
    func answerSerializedQueries() {
        gst_pad_set_query_function_full(
            sink,
            { pad, parent, query in
                let flags = gst_query_type_get_flags(query!.pointee.type).rawValue
                if flags & GST_QUERY_TYPE_SERIALIZED.rawValue != 0 { return 1 }
                return gst_pad_query_default(pad, parent, query)
            }, nil, nil)
    }

    /// Sends a DRAIN query and returns its result.
    func drain() -> Bool {
        let query = gst_query_new_drain()
        defer { gst_query_unref(query) }
        return gst_pad_peer_query(source, query) != 0
    }

    var buffers: [RawBuffer] { record.arrived.withLock { $0.buffers } }
    /// Names of the received events and buffers in order; `buffer!` is a buffer with DISCONT.
    var order: [String] { record.arrived.withLock { $0.order } }

    /// Releases the oldest buffer that the sink pad keeps.
    func releaseOne() {
        if let buffer = record.arrived.withLock({ $0.buffers.isEmpty ? nil : $0.buffers.removeFirst() }) {
            gst_buffer_unref(buffer)
        }
    }

    /// Releases all buffers and events that the sink pad keeps.
    func release() {
        let (buffers, events) = record.arrived.withLock { arrived in
            defer {
                arrived.buffers = []
                arrived.events = []
            }
            return (arrived.buffers, arrived.events)
        }
        for buffer in buffers { gst_buffer_unref(buffer) }
        for event in events { gst_event_unref(event) }
    }

    // MARK: Bus

    /// Messages posted since the last call: type and structure, which includes the text of errors and warnings.
    func messages() -> [(type: String, text: String)] {
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

    // MARK: Details

    private func connect(
        _ signal: String, _ handler: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void
    ) {
        g_signal_connect_data(
            object, signal, unsafeBitCast(handler, to: GCallback.self), record.pointer, nil,
            GConnectFlags(rawValue: 0))
    }

    private func connectSource() {
        source.pointee.chaindata = record.pointer
        gst_pad_set_event_function_full(
            source,
            { pad, _, event in
                let name =
                    gst_video_event_is_force_key_unit(event) != 0
                    ? "force-key-unit" : String(cString: gst_event_type_get_name(event!.pointee.type))
                RigRecord.of(pad!.pointee.chaindata).upstream.withLock { $0.append(name) }
                gst_event_unref(event)
                return 1
            }, nil, nil)
        gst_pad_set_query_function_full(
            source,
            { pad, parent, query in
                guard query!.pointee.type == GST_QUERY_LATENCY else { return gst_pad_query_default(pad, parent, query) }
                let (least, most) = RigRecord.of(pad!.pointee.chaindata).latency.withLock { $0 }
                gst_query_set_latency(query, 1, GstClockTime(least), GstClockTime(most))
                return 1
            }, nil, nil)
        gst_pad_set_active(source, 1)
        let pad = gst_element_get_static_pad(element, "sink")!
        gst_pad_link(source, pad)
        gst_object_unref(pad)
    }
}
