import Synchronization
import Testing

@testable import Tracing

@Suite struct RecordRingTests {
    /// A ring for one test, whose memory is never freed, like the memory of the recorder.
    private static func makeRing(_ capacity: Int) -> RecordRing {
        RecordRing(.allocate(capacity: capacity), capacity: capacity)
    }

    /// A record whose fields are computed from its number.
    private static func record(_ number: UInt64) -> TraceRecord {
        TraceRecord(
            .counter, name: UInt(number & 0xFFFF_FFFF), time: number, value: ~number, frame: number &* 3,
            session: number)
    }

    @Test func keepsTheOrderOverManyLaps() {
        let ring = Self.makeRing(8)
        var made: UInt64 = 0
        var taken: [TraceRecord] = []
        for lap in 0..<100 {
            for _ in 0..<(lap % 9) where ring.hasRoom(reserve: 0) {
                ring.append(Self.record(made))
                made += 1
            }
            ring.take { taken.append($0) }
        }
        #expect(made > 80)
        #expect(taken == (0..<made).map(Self.record))
        let lost = ring.lost
        #expect(lost == 0)
    }

    @Test func refusesAndCountsTheNewestWhenFull() {
        let ring = Self.makeRing(8)
        for number in 0..<11 as Range<UInt64> where ring.hasRoom(reserve: 0) { ring.append(Self.record(number)) }
        var taken: [UInt64] = []
        ring.take { taken.append($0.time) }
        #expect(taken == Array(0..<8))
        let (lost, isEmpty) = (ring.lost, ring.isEmpty)
        #expect(lost == 3)
        #expect(isEmpty)
    }

    @Test func keepsRoomForWhatIsReserved() {
        let ring = Self.makeRing(4)
        let fourFit = ring.hasRoom(reserve: 3)
        ring.append(Self.record(0))
        let fourStillFit = ring.hasRoom(reserve: 3)
        let threeFit = ring.hasRoom(reserve: 2)
        let lost = ring.lost
        #expect((fourFit, fourStillFit, threeFit, lost) == (true, false, true, 1))
    }

    @Test(arguments: [1, 2, 64, 1024])
    func recordsAreWholeAndInOrderWhileOneThreadAppendsAndOneTakes(capacity: Int) {
        let rings = UnsafeMutablePointer<RecordRing>.allocate(capacity: 1)
        rings.initialize(to: Self.makeRing(capacity))
        nonisolated(unsafe) let ring = rings
        let made = 200_000 as UInt64
        let state = SharedState()
        let thread = TestThread {
            for number in 0..<made where ring.pointee.hasRoom(reserve: 0) {
                ring.pointee.append(Self.record(number))
                state.appended.add(1, ordering: .relaxed)
            }
            state.isOver.store(true, ordering: .releasing)
        }
        var (last, taken, isGood) = (nil as UInt64?, 0 as UInt64, true)
        var isLastRound = false
        while true {
            ring.pointee.take { record in
                isGood = isGood && record == Self.record(record.time) && last.map { record.time > $0 } ?? true
                last = record.time
                taken += 1
            }
            if isLastRound { break }
            isLastRound = state.isOver.load(ordering: .acquiring)
        }
        thread.join()
        #expect(isGood)
        #expect(taken == state.appended.load(ordering: .relaxed))
        let lost = ring.pointee.lost
        #expect(taken + lost == made)
    }

    private final class SharedState: Sendable {
        let isOver = Atomic(false)
        let appended = Atomic<UInt64>(0)
    }
}
