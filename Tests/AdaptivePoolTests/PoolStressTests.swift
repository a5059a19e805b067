import CGStreamer
import GstTestSupport
import Synchronization
import Testing

@testable import ElasticPool
@testable import GStreamer

@Suite struct PoolStressTests {
    /// Some threads acquire, hold, change and release buffers, while others resize, flush, stop and start the pool.
    @Test(arguments: [WhenEmpty.grow, .wait, .drop]) func conservesBuffersUnderConcurrentUse(whenEmpty: WhenEmpty) {
        let storm = Storm(whenEmpty)
        var threads = (0..<4).map { _ in storm.repeatedly { $0.acquireAndRelease($1) } }
        threads.append(storm.repeatedly { $0.resize($1) })
        threads.append(storm.repeatedly { $0.disturb($1) })
        #expect(
            eventually {
                storm.taken.load(ordering: .relaxed) > 1000 && storm.disturbed.load(ordering: .relaxed) > 1000
            })
        storm.isOver.store(true, ordering: .relaxed)
        // No acquire waits forever, because threads that hold buffers release them.
        for thread in threads { thread.join() }
        let pool = storm.pool
        gst_buffer_pool_set_flushing(pool.raw, 0)
        #expect(pool.counts.inUse == 0)
        #expect(pool.elastic.locked { $0.shelf.idleCount } == pool.counts.size)
        #expect(pool.elastic.locked { $0.waiting } == 0)
        pool.deactivate()
        #expect(pool.counts.size == 0)
        #expect(storm.made.load(ordering: .relaxed) == storm.freed.load(ordering: .relaxed))
    }
}

private final class Storm: @unchecked Sendable {  // Pools have locks; other state is atomic.
    let pool = Pool(256, 0, 12)
    let isOver = Atomic<Bool>(false)
    let taken = Atomic<Int>(0)
    let disturbed = Atomic<Int>(0)
    /// Number of different buffers that were acquired; `freed` counts the freed buffers among them.
    let made = Atomic<Int>(0)
    let freed = Atomic<Int>(0)
    private let whenEmpty: WhenEmpty
    private static let mark = g_quark_from_static_string("swift-test-storm")

    init(_ whenEmpty: WhenEmpty) { self.whenEmpty = whenEmpty }

    func repeatedly(_ body: @escaping @Sendable (Storm, Int) -> Void) -> TestThread {
        TestThread { [self] in
            var turn = 0
            while !isOver.load(ordering: .relaxed) {
                body(self, turn)
                turn += 1
            }
        }
    }

    func acquireAndRelease(_ turn: Int) {
        var held: [UnsafeMutablePointer<GstBuffer>] = []
        for _ in 0...(turn % 4) {
            // A thread that holds buffers must not wait, because the threads could wait for each other.
            guard let buffer = pool.acquire(dontWait: turn % 3 == 0 || !held.isEmpty).1 else { break }
            taken.add(1, ordering: .relaxed)
            watch(buffer)
            held.append(buffer)
        }
        if turn % 5 == 0 { simulateWork(for: .microseconds(50)) }
        for (index, buffer) in held.enumerated() {
            if (turn + index) % 11 == 0 { gst_buffer_remove_all_memory(buffer) }
            gst_buffer_unref(buffer)
        }
    }

    func resize(_ turn: Int) {
        pool.elastic.resize(to: 1 + (turn % 12), limit: 12)
        pool.elastic.allow(upTo: 3 + (turn % 10), whenEmpty: whenEmpty)
        _ = pool.elastic.endWindow()
    }

    func disturb(_ turn: Int) {
        simulateWork(for: .microseconds(500))
        disturbed.add(1, ordering: .relaxed)
        switch turn % 4 {
        case 0: gst_buffer_pool_set_flushing(pool.raw, 1)
        case 1: gst_buffer_pool_set_flushing(pool.raw, 0)
        case 2: pool.deactivate()
        default: pool.activate()
        }
    }

    private func watch(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        let object = UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: GstMiniObject.self)
        guard gst_mini_object_get_qdata(object, Self.mark) == nil else { return }
        made.add(1, ordering: .relaxed)
        gst_mini_object_set_qdata(object, Self.mark, Unmanaged.passRetained(self).toOpaque()) { data in
            Unmanaged<Storm>.fromOpaque(data!).takeRetainedValue().freed.add(1, ordering: .relaxed)
        }
    }
}
