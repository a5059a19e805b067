import CGStreamer
import GStreamer
import GstTestSupport
import Synchronization
import Testing

typealias RawPad = UnsafeMutablePointer<GstPad>

/// A `backpressurequeue` in a harness, whose source pad the test links and blocks, with counters of its signals.
final class QueueRig: Sendable {
    /// Counts the emissions of each signal.
    final class Signals: Sendable {
        let overruns = Atomic<Int>(0)
        let underruns = Atomic<Int>(0)
        /// A function that the handler of `overrun` calls.
        let onOverrun = Mutex<(@Sendable () -> Void)?>(nil)

        fileprivate static func of(_ pointer: UnsafeMutableRawPointer?) -> Signals {
            Unmanaged<Signals>.fromOpaque(pointer!).takeUnretainedValue()
        }
    }

    let harness: Harness
    let signals = Signals()
    let record = QueueRecord()
    private let probe = Atomic<gulong>(0)

    /// The default settings of the element `queue`, without a limit of frames in flight.
    static let plain = [
        ("max-in-flight", "4294967295"), ("max-size-buffers", "200"), ("max-size-bytes", "10485760"),
        ("max-size-time", "1000000000"), ("leaky", "no"),
    ]

    init(_ settings: [(String, String)] = QueueRig.plain) {
        harness = Harness(TestElement("backpressurequeue"), plays: false)
        for (name, value) in settings { set(name, value) }
        let pad = sourcePad
        gst_pad_unlink(pad, sink)
        gst_object_unref(pad)
        record.observe(sink, answering: source)
        connect("underrun") { _, data in Signals.of(data).underruns.add(1, ordering: .relaxed) }
        connect("overrun") { _, data in
            Signals.of(data).overruns.add(1, ordering: .relaxed)
            Signals.of(data).onOverrun.withLock { $0 }?()
        }
    }

    // MARK: Settings and states

    var element: RawElement { harness.subject.element }
    var object: UnsafeMutablePointer<GObject> { element.object }

    func set(_ name: String, _ text: String) { element.set(name, to: text) }

    func number(_ name: String) -> UInt64 { UInt64(element.number(name)) }

    @discardableResult
    func go(_ state: GstState) -> GstStateChangeReturn { gst_element_set_state(element, state) }

    /// Sets the element to PLAYING and waits for the `underrun` that shows that its task runs.
    func play() {
        let before = signals.underruns.load(ordering: .relaxed)
        go(GST_STATE_PLAYING)
        #expect(eventually { signals.underruns.load(ordering: .relaxed) > before })
    }

    // MARK: Before the element

    /// The source pad of the harness.
    var source: RawPad { harness.raw.pointee.srcpad }

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
        pts: UInt64? = nil, duration: UInt64? = nil, flags: GstBufferFlags = GstBufferFlags(rawValue: 0)
    ) -> RawBuffer {
        let buffer = newBuffer([0, 0, 0, 0], pts: pts)
        if let duration { buffer.pointee.duration = GstClockTime(duration) }
        cgst_buffer_set_flag(buffer, guint(flags.rawValue))
        return buffer
    }

    @discardableResult
    func push(_ buffer: RawBuffer = QueueRig.buffer()) -> GstFlowReturn { harness.push(buffer) }

    func push(list: [RawBuffer]) {
        let raw = gst_buffer_list_new()!
        for buffer in list { gst_buffer_list_insert(raw, -1, buffer) }
        gst_pad_push_list(source, raw)
    }

    /// Sends a DRAIN query and returns its result.
    func drain() -> Bool {
        let query = gst_query_new_drain()
        defer { gst_query_unref(query) }
        return gst_pad_peer_query(source, query) != 0
    }

    /// Number of requests for a key unit since the last call.
    var keyUnitRequests: Int {
        var count = 0
        while let event = harness.pullUpstreamEvent()?.unsafeGive() {
            if gst_video_event_is_force_key_unit(event) != 0 { count += 1 }
            gst_event_unref(event)
        }
        return count
    }

    // MARK: Behind the element

    /// The sink pad of the harness.
    var sink: RawPad { harness.raw.pointee.sinkpad }

    /// The source pad of the element (transfer full).
    var sourcePad: RawPad { gst_element_get_static_pad(element, "src")! }

    /// Blocks the source pad of the element.
    func block() {
        let pad = sourcePad
        let id = gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, nil, nil, nil)
        probe.store(id, ordering: .relaxed)
        gst_object_unref(pad)
    }

    func unblock() {
        let pad = sourcePad
        gst_pad_remove_probe(pad, probe.load(ordering: .relaxed))
        gst_object_unref(pad)
    }

    func link() {
        let pad = sourcePad
        gst_pad_link(pad, sink)
        gst_object_unref(pad)
    }

    /// Makes the handler of `overrun` link and unblock the source pad.
    func flowOnOverrun() {
        signals.onOverrun.withLock {
            $0 = { [unowned self] in
                link()
                unblock()
            }
        }
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

    /// The buffers that have arrived and were not released (transfer none).
    var buffers: [RawBuffer] { record.arrived.withLock { $0.buffers } }
    /// Names of the received events and buffers in order; `buffer!` is a buffer with DISCONT.
    var order: [String] { record.arrived.withLock { $0.order } }

    /// Releases only the oldest buffer that has arrived.
    func releaseOne() {
        let buffer = record.arrived.withLock { $0.buffers.isEmpty ? nil : $0.buffers.removeFirst() }
        if let buffer { gst_buffer_unref(buffer) }
    }

    /// Releases all buffers that have arrived.
    func release() { record.release() }

    // MARK: Statistics and messages

    private var statistics: Structure {
        element.withValue(of: "stats") {
            g_object_get_property(object, "stats", $0)
            return Structure(unsafe: g_value_get_boxed($0)!.assumingMemoryBound(to: GstStructure.self))
        }
    }

    func statistic(_ name: String) -> UInt64 { Self.read(name, statistics) }

    /// Whether `in` equals `out` plus `dropped` plus `queued` in one reading of the statistics.
    var isConserved: Bool {
        let read = { [statistics] in Self.read($0, statistics) }
        return read("in") == read("out") + read("dropped") + read("queued")
    }

    private static func read(_ name: String, _ structure: Structure) -> UInt64 {
        switch structure[name] {
        case .uint64(let number): number
        case .uint(let number): UInt64(number)
        default: 0
        }
    }

    /// Messages posted since the last call: type and structure, which includes the text of errors and warnings.
    func messages() -> [(type: String, text: String)] {
        let bus = gst_element_get_bus(element)
        defer { gst_object_unref(bus) }
        var all: [(type: String, text: String)] = []
        while let message = gst_bus_pop(bus) {
            let text = gst_message_get_structure(message).map { Structure(unsafe: $0).description }
            all.append((String(cString: gst_message_type_get_name(message.pointee.type)), text ?? ""))
            gst_message_unref(message)
        }
        return all
    }

    private func connect(
        _ signal: String, _ handler: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void
    ) {
        g_signal_connect_data(
            object, signal, unsafeBitCast(handler, to: GCallback.self), Unmanaged.passRetained(signals).toOpaque(),
            { data, _ in Unmanaged<Signals>.fromOpaque(data!).release() }, GConnectFlags(rawValue: 0))
    }
}
