import CGStreamer
import GstTestSupport
import Synchronization

/// Events and buffers that arrive at the sink pad of a `QueueRig`, and the results that its pads return.
///
/// Streaming threads reference only the record, not the rig. A streaming thread that releases the last reference of the
/// rig would have to join itself.
final class QueueRecord: Sendable {
    /// Flow return of the sink pad.
    let sinkFlow = Atomic<Int32>(GST_FLOW_OK.rawValue)
    /// Whether the record keeps the buffers.
    let sinkKeeps = Atomic<Bool>(true)
    /// The answer to LATENCY queries: minimum and maximum in nanoseconds.
    let latency = Mutex<(isLive: Bool, least: UInt64, most: UInt64)>((true, 0, .max))
    let arrived = Mutex(Arrived())

    struct Arrived: @unchecked Sendable {  // The mutex protects the buffers.
        var buffers: [RawBuffer] = []
        var order: [String] = []
    }

    deinit { release() }

    func release() {
        let buffers = arrived.withLock { arrived in
            defer { arrived.buffers = [] }
            return arrived.buffers
        }
        for buffer in buffers { gst_buffer_unref(buffer) }
    }

    /// Keeps what arrives at `sink`, and answers the LATENCY queries that arrive at `source`.
    func observe(_ sink: RawPad, answering source: RawPad) {
        let types = [GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, GST_PAD_PROBE_TYPE_EVENT_FLUSH]
        gst_pad_add_probe(
            sink, GstPadProbeType(rawValue: types.reduce(0) { $0 | $1.rawValue }),
            { _, info, record in QueueRecord.of(record).receive(&info!.pointee) }, retained,
            { QueueRecord.release($0) })
        gst_pad_set_query_function_full(
            source,
            { pad, parent, query in
                guard query!.pointee.type == GST_QUERY_LATENCY else { return gst_pad_query_default(pad, parent, query) }
                let (isLive, least, most) = QueueRecord.of(pad!.pointee.querydata).latency.withLock { $0 }
                gst_query_set_latency(query, isLive ? 1 : 0, GstClockTime(least), GstClockTime(most))
                return 1
            }, retained, { QueueRecord.release($0) })
    }

    private var retained: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> QueueRecord {
        Unmanaged<QueueRecord>.fromOpaque(pointer!).takeUnretainedValue()
    }

    private static func release(_ pointer: UnsafeMutableRawPointer?) {
        Unmanaged<QueueRecord>.fromOpaque(pointer!).release()
    }

    private func receive(_ info: inout GstPadProbeInfo) -> GstPadProbeReturn {
        let data = UnsafeMutableRawPointer(info.data)!
        guard info.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 else {
            let type = data.assumingMemoryBound(to: GstEvent.self).pointee.type
            arrived.withLock { $0.order.append(String(cString: gst_event_type_get_name(type))) }
            return GST_PAD_PROBE_OK
        }
        let buffer = data.assumingMemoryBound(to: GstBuffer.self)
        let keeps = sinkKeeps.load(ordering: .relaxed)
        let isDiscontinuous = cgst_buffer_facts(buffer).flags & guint32(GST_BUFFER_FLAG_DISCONT.rawValue) != 0
        arrived.withLock {
            $0.order.append(isDiscontinuous ? "buffer!" : "buffer")
            if keeps { $0.buffers.append(buffer) }
        }
        if !keeps { gst_buffer_unref(buffer) }
        info.ABI.abi.flow_ret = GstFlowReturn(rawValue: sinkFlow.load(ordering: .relaxed))
        return GST_PAD_PROBE_HANDLED
    }
}
