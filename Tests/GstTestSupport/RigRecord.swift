import CGStreamer
import Synchronization

/// Events and buffers received by the pads of a `Rig`, and the values that the pads return.
///
/// Streaming threads reference only the record, not the rig. A streaming thread that releases the last reference of the
/// rig would have to join itself.
public final class RigRecord: Sendable {
    /// Flow return of the sink pad.
    public let sinkFlow = Atomic<Int32>(GST_FLOW_OK.rawValue)
    /// Whether the sink pad keeps its buffers.
    public let sinkKeeps = Atomic<Bool>(true)
    /// Names of the events received from downstream by the source pad.
    public let upstream = Mutex<[String]>([])
    /// Whether the source pad answers LATENCY queries like a live source.
    public let isLive = Atomic<Bool>(true)
    /// Minimum and maximum latency for LATENCY queries, in nanoseconds.
    public let latency = Mutex<(UInt64, UInt64)>((0, .max))
    private let arrived = Mutex(Arrived())

    private struct Arrived: @unchecked Sendable {  // The mutex protects the buffers and events.
        var buffers: [RawBuffer] = []
        var events: [UnsafeMutablePointer<GstEvent>] = []
        var order: [String] = []
    }

    var buffers: [RawBuffer] { arrived.withLock { $0.buffers } }
    var order: [String] { arrived.withLock { $0.order } }

    func releaseOne() {
        if let buffer = arrived.withLock({ $0.buffers.isEmpty ? nil : $0.buffers.removeFirst() }) {
            gst_buffer_unref(buffer)
        }
    }

    func release() {
        let (buffers, events) = arrived.withLock { arrived in
            defer {
                arrived.buffers = []
                arrived.events = []
            }
            return (arrived.buffers, arrived.events)
        }
        for buffer in buffers { gst_buffer_unref(buffer) }
        for event in events { gst_event_unref(event) }
    }

    // MARK: Pads

    /// Creates an active sink pad (transfer full) that keeps its buffers and events.
    func makeSink() -> RawPad {
        // A pad without a template would accept only its first caps.
        let any = gst_caps_new_any()!
        let template = gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, any)!
        let pad = gst_pad_new_from_template(template, "sink")!
        gst_object_unref(template)
        gst_caps_unref(any)
        gst_object_ref_sink(pad)
        pad.pointee.chaindata = pointer
        gst_pad_set_chain_function_full(
            pad, { pad, _, buffer in RigRecord.of(pad!.pointee.chaindata).receive(buffer!) }, pointer, nil)
        gst_pad_set_event_function_full(
            pad,
            { pad, _, event in
                RigRecord.of(pad!.pointee.chaindata).receive(event!)
                return 1
            }, nil, nil)
        gst_pad_set_active(pad, 1)
        return pad
    }

    /// Records the upstream events of `source` and answers its LATENCY queries.
    func connect(source: RawPad) {
        source.pointee.chaindata = pointer
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
                let record = RigRecord.of(pad!.pointee.chaindata)
                let (least, most) = record.latency.withLock { $0 }
                let isLive: gboolean = record.isLive.load(ordering: .relaxed) ? 1 : 0
                gst_query_set_latency(query, isLive, GstClockTime(least), GstClockTime(most))
                return 1
            }, nil, nil)
    }

    private var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> RigRecord {
        Unmanaged<RigRecord>.fromOpaque(pointer!).takeUnretainedValue()
    }

    private func receive(_ buffer: RawBuffer) -> GstFlowReturn {
        let keeps = sinkKeeps.load(ordering: .relaxed)
        let isDiscontinuous = cgst_buffer_facts(buffer).flags & guint32(GST_BUFFER_FLAG_DISCONT.rawValue) != 0
        arrived.withLock {
            $0.order.append(isDiscontinuous ? "buffer!" : "buffer")
            if keeps { $0.buffers.append(buffer) }
        }
        if !keeps { gst_buffer_unref(buffer) }
        return GstFlowReturn(rawValue: sinkFlow.load(ordering: .relaxed))
    }

    private func receive(_ event: UnsafeMutablePointer<GstEvent>) {
        arrived.withLock {
            $0.order.append(String(cString: gst_event_type_get_name(event.pointee.type)))
            $0.events.append(event)
        }
    }
}
