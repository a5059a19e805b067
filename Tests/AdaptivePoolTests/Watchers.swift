import CGStreamer
import StageSupport
import Synchronization

/// Receives every buffer that arrives at a pipeline's sink `s`.
class SinkWatcher: @unchecked Sendable {  // Each subclass says how it is guarded.
    init(_ stage: Stage) {
        let sink = gst_bin_get_by_name(
            UnsafeMutableRawPointer(stage.pipeline).assumingMemoryBound(to: GstBin.self), "s")!
        let pad = gst_element_get_static_pad(sink, "sink")!
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_BUFFER,
            { _, info, data in
                Unmanaged<SinkWatcher>.fromOpaque(data!).takeUnretainedValue().saw(gst_pad_probe_info_get_buffer(info)!)
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(self).toOpaque(), { Unmanaged<SinkWatcher>.fromOpaque($0!).release() })
        gst_object_unref(pad)
        gst_object_unref(sink)
    }

    func saw(_ buffer: UnsafeMutablePointer<GstBuffer>) {}
}

/// Keeps every buffer.
final class Hoard: SinkWatcher, @unchecked Sendable {  // Filled by one thread, emptied when that has ended.
    private var buffers: [UnsafeMutablePointer<GstBuffer>] = []

    override func saw(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        gst_buffer_ref(buffer)
        buffers.append(buffer)
    }

    deinit { for buffer in buffers { gst_buffer_unref(buffer) } }
}

/// Plays a pipeline and keeps the bytes and timestamps of its frames.
final class Tap: SinkWatcher, @unchecked Sendable {  // Filled by one thread, read when that has ended.
    private(set) var frames: [[UInt8]] = []

    init(_ line: String) {
        let stage = Stage(line)
        super.init(stage)
        _ = stage.play()
    }

    override func saw(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        let size = gst_buffer_get_size(buffer)
        var bytes = [UInt8](repeating: 0, count: Int(size))
        gst_buffer_extract(buffer, 0, &bytes, size)
        withUnsafeBytes(of: buffer.pointee.pts) { bytes.append(contentsOf: $0) }
        frames.append(bytes)
    }
}

/// Keeps the first buffer of every pool, and a weak reference to the pool.
final class PoolWatch: SinkWatcher, @unchecked Sendable {  // Its state is guarded.
    private struct Seen {
        var pools: [(raw: UnsafeMutableRawPointer, reference: UnsafeMutablePointer<GWeakRef>)] = []
        var buffers: [UnsafeMutablePointer<GstBuffer>] = []
    }
    private let lock = Mutex(())
    // Guarded by `lock`.
    private var seen = Seen()

    override func saw(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        guard let pool = buffer.pointee.pool.map({ UnsafeMutableRawPointer($0) }) else { return }
        lock.withLock { _ in
            guard seen.pools.last?.raw != pool else { return }
            let reference = UnsafeMutablePointer<GWeakRef>.allocate(capacity: 1)
            reference.initialize(to: GWeakRef())
            g_weak_ref_init(reference, pool)
            seen.pools.append((pool, reference))
            gst_buffer_ref(buffer)
            seen.buffers.append(buffer)
        }
    }

    var count: Int { lock.withLock { _ in seen.pools.count } }

    /// The number of pools that still exist.
    var alive: Int {
        lock.withLock { _ in
            seen.pools.filter { entry in
                guard let pool = g_weak_ref_get(entry.reference) else { return false }
                gst_object_unref(pool)
                return true
            }.count
        }
    }

    func giveBack() {
        let buffers = lock.withLock { _ in
            defer { seen.buffers = [] }
            return seen.buffers
        }
        for buffer in buffers { gst_buffer_unref(buffer) }
    }

    deinit {
        giveBack()
        for pool in seen.pools {
            g_weak_ref_clear(pool.reference)
            pool.reference.deallocate()
        }
    }
}
