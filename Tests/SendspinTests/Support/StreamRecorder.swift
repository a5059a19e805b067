import CGStreamer
import GstTestSupport
import Synchronization

/// Records the events and buffers that pass a pad, in their order.
final class StreamRecorder: Sendable {
    /// The data and the times of a recorded buffer.
    struct Chunk: Sendable {
        var bytes: [UInt8]
        var pts: Duration?
        var duration: Duration?
        var isDiscontinuity: Bool
    }

    enum Item: Sendable {
        case buffer(Chunk)
        case caps(String)
        /// Name of another event.
        case event(String)
    }

    private let record = Mutex<[Item]>([])

    init(_ element: RawElement, pad name: String = "sink") {
        let pad = gst_element_get_static_pad(element, name)!
        let types =
            GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue
            | GST_PAD_PROBE_TYPE_EVENT_FLUSH.rawValue
        gst_pad_add_probe(
            pad, GstPadProbeType(rawValue: types),
            { _, info, recorder in
                Unmanaged<StreamRecorder>.fromOpaque(recorder!).takeUnretainedValue().append(info!.pointee)
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(self).toOpaque(), { Unmanaged<StreamRecorder>.fromOpaque($0!).release() })
        gst_object_unref(pad)
    }

    var items: [Item] { record.withLock { $0 } }
    var chunks: [Chunk] { items.compactMap { if case .buffer(let chunk) = $0 { chunk } else { nil } } }
    /// Contents of all buffers.
    var bytes: [UInt8] { chunks.flatMap(\.bytes) }
    var byteCount: Int {
        record.withLock {
            $0.reduce(0) { sum, item in
                if case .buffer(let chunk) = item { sum + chunk.bytes.count } else { sum }
            }
        }
    }
    var caps: [String] { items.compactMap { if case .caps(let caps) = $0 { caps } else { nil } } }
    /// Names of the recorded items, with only one name for successive buffers.
    var outline: [String] {
        items.reduce(into: []) { names, item in
            let name =
                switch item {
                case .buffer: "buffer"
                case .caps: "caps"
                case .event(let name): name
                }
            if name != "buffer" || names.last != "buffer" { names.append(name) }
        }
    }

    /// Removes all recorded items.
    func clear() { record.withLock { $0 = [] } }

    private func append(_ info: GstPadProbeInfo) {
        let data = UnsafeMutableRawPointer(info.data)!
        if info.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
            let buffer = data.assumingMemoryBound(to: GstBuffer.self)
            let pts = buffer.pointee.pts == GstClockTime.max ? nil : Duration.nanoseconds(Int64(buffer.pointee.pts))
            let isDiscontinuity = buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_DISCONT.rawValue != 0
            let duration = Duration.nanoseconds(Int64(truncatingIfNeeded: buffer.pointee.duration))
            let chunk = Chunk(bytes: buffer.bytes, pts: pts, duration: duration, isDiscontinuity: isDiscontinuity)
            return record.withLock { $0.append(.buffer(chunk)) }
        }
        let event = data.assumingMemoryBound(to: GstEvent.self)
        var item = Item.event(String(cString: gst_event_type_get_name(event.pointee.type)))
        if event.pointee.type == GST_EVENT_CAPS {
            var caps: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &caps)
            let text = gst_caps_to_string(caps)!
            item = .caps(String(cString: text))
            g_free(text)
        }
        record.withLock { $0.append(item) }
    }
}
