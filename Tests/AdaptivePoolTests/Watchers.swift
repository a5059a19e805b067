import CGStreamer
import GstTestSupport
import Synchronization

/// Plays a pipeline and stores the bytes and timestamps of the frames that arrive at its sink `s`.
final class Tap: PadRecorder, @unchecked Sendable {  // One thread writes; others read after its end.
    private(set) var recorded: [[UInt8]] = []

    init(_ line: String) {
        let pipeline = Pipeline(line)
        super.init(pipeline)
        _ = pipeline.play()
    }

    override func saw(_ buffer: RawBuffer) {
        var bytes = buffer.bytes
        withUnsafeBytes(of: buffer.pointee.pts) { bytes.append(contentsOf: $0) }
        recorded.append(bytes)
    }
}

/// Keeps the first buffer from each pool that arrives at the sink `s`, and a weak reference to the pool.
final class PoolWatch: PadRecorder, @unchecked Sendable {  // A mutex protects the state.
    private struct Seen: @unchecked Sendable {  // Pools and buffers have atomic reference counts.
        var pools: [(raw: UnsafeMutableRawPointer, reference: UnsafeMutablePointer<GWeakRef>)] = []
        var buffers: [RawBuffer] = []
    }
    private let seen = Mutex(Seen())

    init(_ pipeline: Pipeline) { super.init(pipeline) }

    override func saw(_ buffer: RawBuffer) {
        guard let pool = buffer.pointee.pool.map({ UnsafeMutableRawPointer($0) }) else { return }
        seen.withLock { seen in
            guard seen.pools.last?.raw != pool else { return }
            let reference = UnsafeMutablePointer<GWeakRef>.allocate(capacity: 1)
            reference.initialize(to: GWeakRef())
            g_weak_ref_init(reference, pool)
            seen.pools.append((pool, reference))
            seen.buffers.append(gst_buffer_ref(buffer))
        }
    }

    var count: Int { seen.withLock { $0.pools.count } }

    /// The number of pools that still exist.
    var alive: Int {
        seen.withLock { seen in
            seen.pools.filter { entry in
                guard let pool = g_weak_ref_get(entry.reference) else { return false }
                gst_object_unref(pool)
                return true
            }.count
        }
    }

    func releaseAll() {
        let buffers = seen.withLock { seen in
            defer { seen.buffers = [] }
            return seen.buffers
        }
        for buffer in buffers { gst_buffer_unref(buffer) }
    }

    deinit {
        releaseAll()
        for pool in seen.withLock({ $0.pools }) {
            g_weak_ref_clear(pool.reference)
            pool.reference.deallocate()
        }
    }
}
