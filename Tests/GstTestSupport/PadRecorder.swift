import CGStreamer
import Synchronization

/// Records the caps and the buffers that pass a pad of a pipeline's element.
open class PadRecorder: @unchecked Sendable {  // The record has a mutex; subclasses protect their own state.
    private struct Record: @unchecked Sendable {  // The mutex protects the buffers.
        var caps: [String] = []
        var format = GstVideoInfo()
        var frames = 0
        var wrongFrames = 0
        var buffers: [RawBuffer] = []
    }

    private let record = Mutex(Record())
    private let keepsBuffers: Bool

    /// Records a pad; with `keepsBuffers`, holds a reference of each buffer until `release` or the end of the recorder.
    public init(_ pipeline: Pipeline, _ element: String = "s", pad: String = "sink", keepsBuffers: Bool = false) {
        self.keepsBuffers = keepsBuffers
        let pad = gst_element_get_static_pad(pipeline.element(element), pad)!
        let types = GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue
        gst_pad_add_probe(
            pad, GstPadProbeType(rawValue: types),
            { _, info, recorder in
                Unmanaged<PadRecorder>.fromOpaque(recorder!).takeUnretainedValue().append(info!.pointee)
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(self).toOpaque(), { Unmanaged<PadRecorder>.fromOpaque($0!).release() })
        gst_object_unref(pad)
    }

    deinit { release() }

    /// Handles a buffer (transfer none) on the streaming thread; subclasses override this method.
    open func saw(_ buffer: RawBuffer) {}

    /// All recorded caps, written as `320x240@30/1` for raw video, and as GStreamer serializes them for other media.
    public var caps: [String] { record.withLock { $0.caps } }
    public var last: String { caps.last ?? "" }
    /// Number of recorded buffers.
    public var frames: Int { record.withLock { $0.frames } }
    /// Number of buffers whose size is not that of a frame of the caps, with the padding that the buffer's meta describes.
    public var wrongFrames: Int { record.withLock { $0.wrongFrames } }
    /// The buffers that the recorder holds (transfer none).
    public var buffers: [RawBuffer] { record.withLock { $0.buffers } }

    /// Releases the buffers that the recorder holds.
    public func release() {
        let buffers = record.withLock { record in
            defer { record.buffers = [] }
            return record.buffers
        }
        for buffer in buffers { gst_buffer_unref(buffer) }
    }

    private func append(_ info: GstPadProbeInfo) {
        let data = UnsafeMutableRawPointer(info.data)!
        if info.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
            return append(data.assumingMemoryBound(to: GstBuffer.self))
        }
        let event = data.assumingMemoryBound(to: GstEvent.self)
        guard event.pointee.type == GST_EVENT_CAPS else { return }
        var caps: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &caps)
        if let caps { append(caps) }
    }

    private func append(_ buffer: RawBuffer) {
        record.withLock { record in
            record.frames += 1
            if gst_buffer_get_size(buffer) != Self.frameSize(of: buffer, record.format) { record.wrongFrames += 1 }
            if keepsBuffers { record.buffers.append(gst_buffer_ref(buffer)) }
        }
        saw(buffer)
    }

    /// Size in bytes of a frame of `format`; nil if the buffer has a frame of other dimensions.
    ///
    /// An encoder can request rows with padding in its answer to the allocation query; those of GStreamer 1.28 do.
    private static func frameSize(of buffer: RawBuffer, _ format: GstVideoInfo) -> gsize? {
        guard let meta = gst_buffer_get_video_meta(buffer) else { return format.size }
        let dimensions = (meta.pointee.width, meta.pointee.height)
        guard dimensions == (guint(format.width), guint(format.height)) else { return nil }
        // The last plane of a format ends the frame. Meta with padding need not describe its alignment.
        let last = Int(meta.pointee.n_planes) - 1
        func value<Values, Value>(_ values: Values, as: Value.Type) -> Value {
            withUnsafeBytes(of: values) { $0.bindMemory(to: Value.self)[last] }
        }
        let stride = gsize(value(format.stride, as: gint.self))
        let rows = (format.size - value(format.offset, as: gsize.self)) / stride
        return value(meta.pointee.offset, as: gsize.self) + rows * gsize(value(meta.pointee.stride, as: gint.self))
    }

    private func append(_ caps: UnsafeMutablePointer<GstCaps>) {
        var info = GstVideoInfo()
        let isRaw = gst_structure_has_name(gst_caps_get_structure(caps, 0), "video/x-raw") != 0
        guard isRaw, gst_video_info_from_caps(&info, caps) != 0 else {
            guard let text = gst_caps_to_string(caps) else { return }
            record.withLock { $0.caps.append(String(cString: text)) }
            return g_free(text)
        }
        let text = "\(info.width)x\(info.height)@\(info.fps_n)/\(info.fps_d)"
        record.withLock { record in
            record.format = info
            record.caps.append(text)
        }
    }
}
