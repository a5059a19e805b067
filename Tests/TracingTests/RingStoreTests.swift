import Synchronization
import Testing

@testable import Tracing

@Suite struct RingStoreTests {
    @Test func eachRingHasOneThreadAtATime() throws {
        let store = try #require(RingStore(rings: 4, records: 8))
        let shared = Shared()
        let threads = (0..<16).map { _ in
            TestThread { if let ring = store.take() { shared.rings.withLock { $0.append(UInt(bitPattern: ring)) } } }
        }
        for thread in threads { thread.join() }
        let rings = shared.rings.withLock { $0 }
        #expect(rings.count == 4)
        #expect(Set(rings).count == 4)
        #expect(store.take() == nil)
    }

    @Test func aRingReturnsWhenItsThreadHasLeftAndItIsFreed() throws {
        let store = try #require(RingStore(rings: 1, records: 8))
        let ring = try #require(store.take())
        let thread = ring.pointee.owner.thread
        #expect(thread > 0)
        ring.pointee.owner.leave()
        #expect(store.take() == nil)
        store.clear()
        #expect(store.take() == ring)
        let stage = ring.pointee.owner.stage
        #expect(stage == .taken)
    }

    @Test func clearingDropsRecordsAndKeepsRingsOfLivingThreads() throws {
        let store = try #require(RingStore(rings: 1, records: 8))
        let ring = try #require(store.take())
        ring.pointee.append(TraceRecord(.instant, name: 1, time: 1, value: 0, frame: 0, session: 1))
        store.clear()
        let (isEmpty, stage) = (ring.pointee.isEmpty, ring.pointee.owner.stage)
        #expect(isEmpty)
        #expect(stage == .taken)
    }

    @Test func discardedMemoryReadsAsNoRecord() throws {
        let store = try #require(RingStore(rings: 1, records: 128))
        let ring = try #require(store.take())
        ring.pointee.append(TraceRecord(.instant, name: 1, time: 1, value: 0, frame: 0, session: 1))
        store.discardPages()
        var kinds: [MarkKind?] = []
        ring.pointee.take { kinds.append($0.kind) }
        #expect(kinds == [nil])
    }

    private final class Shared: Sendable { let rings = Mutex<[UInt]>([]) }
}
