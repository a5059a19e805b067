import Durations
@testable import SendspinProtocol
import Threads
import Testing

/// Tests the chunk buffer with timelines in text notation.
///
/// `DrawnBuffer` describes the notation.
@Suite struct ChunkBufferTests {
    @Test(arguments: [
        // A chunk is due 50 ms before its time.
        ("+100 . @49 . @50 . .", "wait:50 wait:50 100 wait"),
        ("+100 +120 @50 . . @70 . .", "100 wait:70 120 wait"),
        // Chunks are ordered by timestamp.
        ("+140 +100 +120 @90 . . . .", "100 120 140 wait"), ("@-70 +-20 . .", "-20 wait"),
    ])
    func returnsChunksInTime(drawing: String, result: String) { #expect(DrawnBuffer.play(drawing) == result) }

    @Test(arguments: [
        // A chunk is late when its end has passed, on arrival or later.
        ("@120 +100 . @119 +100 .", "late wait 100"), ("+100 +120 @125 . .", "120 wait"),
        // A chunk of unknown duration is late when its start has passed.
        ("@101 +100/? @100 +100/? .", "late 100"),
        ("+100 +200 @400 . +300 +390 .", "wait late 390"),
    ])
    func discardsLateChunks(drawing: String, result: String) { #expect(DrawnBuffer.play(drawing) == result) }

    @Test(arguments: [
        (". +100 . @50 . .", "wait wait:50 100 wait"), (". R . +100 @50 .", "wait wait 100"),
        ("+100 C . R +100 @50 .", "wait 100"),
    ])
    func waitsWhenEmpty(drawing: String, result: String) { #expect(DrawnBuffer.play(drawing) == result) }

    @Test(arguments: [
        ("+100 +100 @50 . +100 . +120 @70 .", "duplicate 100 duplicate wait 120"),
        // The buffer refuses a chunk that overlaps another by more than 1 ms.
        ("+100 +110 +90 +119 +81 @90 . . .", "overlapping overlapping 81 100 119"),
        // The buffer refuses a chunk that it has already returned.
        ("+100 @50 . +90 +110 +60 +120 @70 .", "100 duplicate overlapping duplicate 120"),
        ("+100/? +100/? +110/? @60 . . +105/?", "duplicate 100 110 duplicate"),
        // After a chunk far ahead, earlier chunks are still accepted.
        ("+100 +9000 @50 . @70 . +120 @75 . .", "100 gap:120-9000 120 wait:90"),
    ])
    func refusesDuplicatesAndOverlaps(drawing: String, result: String) { #expect(DrawnBuffer.play(drawing) == result) }

    @Test(arguments: [
        // New chunks continue the timeline after the waiting chunks.
        ("@1050 +1100 +1120 . @1000 B +1140 . @1070 . @1090 . .", "1100 wait:1070 1120 1140 wait"),
        // New chunks have a new timeline, whose times were already played before.
        ("@1050 +1100 +1120 +1140 . @50 B +100 . +120 @1200 .", "1100 100 wait"),
        // No chunk waits when the clock is set back.
        ("@1050 +1100 . @50 B +100 . +1100", "1100 100"),
    ])
    func clockThatIsSetBackKeepsTheChunksOfTheTimeline(drawing: String, result: String) {
        #expect(DrawnBuffer.play(drawing) == result)
    }

    @Test(arguments: [
        // A gap is reported only when its start is due, because the missing chunk may still arrive.
        ("+100 +140 @50 . . @70 . . @90 .", "100 wait:70 gap:120-140 wait:90 140"),
        ("+100 +140 @50 . . +120 @70 . @90 . .", "100 wait:70 120 140 wait"),
        // A gap after an underrun is reported.
        ("+100 @50 . @150 . +200 . . ", "100 wait gap:120-200 200"),
        // A rounding difference is no gap. The end of a chunk of unknown duration is no gap.
        ("+100 +121 @100 . . ", "100 121"), ("+100/? +200/? @60 . @150 .", "100 200"),
        // A seek causes no gap, and the first chunk causes no gap.
        ("+100 @50 . C +500 @450 . .", "100 500 wait"),
        // A late chunk leaves a gap.
        ("+100 +120 +140 @80 . @140 . .", "100 gap:120-140 140"),
    ])
    func reportsGaps(drawing: String, result: String) { #expect(DrawnBuffer.play(drawing) == result) }

    @Test(arguments: [
        // A format is returned with its first chunk.
        ("fA . +100 . @50 . . .", "wait wait:50 fA 100 wait"),
        ("fA +100 fB +120 @80 . . . . .", "fA 100 fB 120 wait"),
        // A format without chunks is not returned.
        ("fA fB +100 @50 . .", "fB 100"), ("fA +100 fB fC +120 @80 . . . . .", "fA 100 fC 120 wait"),
        // After a seek, the buffer still knows the format, and returns a format that it has not returned before.
        ("fA +100 @50 . . C +500 @450 . .", "fA 100 500 wait"), ("fA +100 C +500 @450 . .", "fA 500"),
        ("fA +100 C fB +500 @450 . .", "fB 500"), ("fA +100 R +500 @450 . .", "500 wait"),
        // The first chunk of a new format replaces later chunks of the old format.
        ("fA +100 +120 +140 fB +120 @90 . . . . .", "fA 100 fB 120 wait"),
        // The format of a late chunk is not returned.
        ("fA +100 fB +120 @125 . . .", "fB 120 wait"),
        // Chunks are ordered within a format. The chunks of the next format follow.
        ("fA +120 +100 fB +160 +140 @110 . . . . . .", "fA 100 120 fB 140 160"),
    ])
    func changesTheFormatOnTheTimeline(drawing: String, result: String) { #expect(DrawnBuffer.play(drawing) == result) }

    @Test func isBoundedInBytes() {
        let full = "+100 +120 +140 +160 +180 +200 +220 +240 +260 +280"
        #expect(DrawnBuffer.play(full + " +300") == "full")
        #expect(DrawnBuffer.play(full + " @50 . +300 +320") == "100 full")
        #expect(DrawnBuffer.play(full + " C +300") == "")
    }

    /// Even an empty chunk takes memory, and a server could send any number of empty chunks.
    @Test func boundsTheMemoryOfEmptyChunksAndTheNumberOfFormats() {
        var buffer = ChunkBuffer<Int, Int>(capacity: 6_400, lead: .zero, chunkCost: 64, memoryLimit: 6_400)
        for index in 0..<10_000 {
            buffer.setFormat(index)
            // Each chunk replaces the previous one.
            let time = Duration.seconds(100_000 - index)
            #expect(buffer.insert(index, timestamp: time, bytes: 0, now: .zero) == .accepted)
        }
        #expect(buffer.count == 1)
        for index in 0..<10_000 {
            _ = buffer.insert(index, timestamp: .seconds(200_000 + index), bytes: 0, now: .zero)
        }
        #expect(buffer.count == 100)
        #expect(buffer.counts.refused == 9901)
    }

    /// The capacity limits only the bytes of chunks; the memory limit also includes the cost of each chunk.
    @Test(arguments: [
        (100, 60, 10), (100, 20, 10), (50, 150, 10), (10, 190, 10), (0, 190, 10), (1, 999, 2), (1, 2_000, 0),
    ])
    func boundsBytesAndMemory(bytes: Int, cost: Int, count: Int) {
        var buffer = ChunkBuffer<Int, Int>(capacity: 1_000, lead: .zero, chunkCost: cost, memoryLimit: 2_000)
        for index in 0..<30 { _ = buffer.insert(index, timestamp: .seconds(index + 1), bytes: bytes, now: .zero) }
        #expect(buffer.count == count)
        #expect(buffer.bytes == bytes * count)
        #expect(buffer.counts.refused == 30 - count)
        buffer.clear()
        #expect(buffer.bytes == 0)
        #expect((buffer.insert(0, timestamp: .seconds(100), bytes: bytes, now: .zero) == .accepted) == (count > 0))
    }

    /// Without a limit for formats, a server could send a format of 16 KB with each of 65,536 chunks.
    @Test func boundsTheNumberOfFormatsOfWaitingChunks() {
        var buffer = ChunkBuffer<Int, Int>(capacity: 1 << 20, lead: .zero, chunkCost: 64, memoryLimit: 1 << 20)
        for index in 0..<10_000 {
            buffer.setFormat(index)
            #expect(buffer.insert(index, timestamp: .seconds(1 + index), bytes: 1, now: .zero) == .accepted)
            #expect(buffer.count <= 32)
        }
        // The last chunks and their formats remain in the buffer.
        let first = 10_000 - buffer.count
        for index in first..<10_000 {
            guard case .format(index) = buffer.next(at: .seconds(1 + index)),
                case .chunk(let chunk) = buffer.next(at: .seconds(1 + index))
            else {
                Issue.record("the format or the chunk \(index) is missing")
                return
            }
            #expect(chunk.payload == index)
        }
    }

    /// A payload takes the chunks that directly follow it, as long as it has room.
    @Test func extendsThePayloadOfTheLastChunk() {
        final class Bytes: Sendable { let count = Mutex(0) }
        var buffer = ChunkBuffer<Bytes, Int>(capacity: 1_000, lead: .zero, chunkCost: 10, memoryLimit: 1_000)
        func extend(_ time: Int, bytes: Int = 100, now: Int = 0) -> ChunkBuffer<Bytes, Int>.Extension {
            buffer.extendLast(
                timestamp: .microseconds(time), duration: .milliseconds(20), bytes: bytes, now: .microseconds(now)
            ) { payload in
                payload.count.withLock { $0 += bytes }
                return true
            }
        }
        func insert(_ time: Int, room: Int) -> ChunkAdmission {
            buffer.insert(
                Bytes(), timestamp: .milliseconds(time), duration: .milliseconds(20), bytes: 100, room: room, now: .zero
            )
        }
        #expect(extend(100_000) == .refused)
        #expect(insert(100, room: 250) == .accepted)
        #expect([extend(119_989), extend(120_011), extend(100_000)] == [.refused, .refused, .refused])
        #expect(extend(120_000, now: 120_000) == .refused)
        #expect([extend(120_001), extend(139_999), extend(160_000)] == [.done, .done, .next])
        #expect((buffer.count, buffer.bytes, buffer.counts.accepted) == (1, 300, 3))
        // Allocated bytes count as memory: 310 + 50 + 110 bytes leave 530.
        #expect([insert(200, room: 531), insert(200, room: 530)] == [.full, .accepted])
        buffer.setFormat(2)
        #expect(extend(220_000) == .refused)
        guard case .chunk(let chunk) = buffer.next(at: .milliseconds(100)) else {
            Issue.record("there is no chunk")
            return
        }
        #expect((chunk.duration, chunk.bytes, chunk.payload.count.withLock { $0 }) == (.milliseconds(60), 300, 200))
        #expect((buffer.counts.returned, buffer.bytes) == (3, 100))
        buffer.discardedReturned()
        #expect((buffer.counts.returned, buffer.counts.lateInBuffer) == (0, 3))
        // The memory is available again.
        buffer.clear()
        #expect(insert(200, room: 890) == .accepted)
        // Unused room may take a quarter of the memory.
        #expect(extend(220_000, bytes: 891) == .refused)
    }

    @Test func countsWhatHappened() {
        var buffer = ChunkBuffer<Int, Int>(capacity: 300, lead: .milliseconds(50), chunkCost: 0, memoryLimit: 300)
        func insert(_ time: Int, now: Int = 0) {
            _ = buffer.insert(
                time, timestamp: .milliseconds(time), duration: .milliseconds(20), bytes: 100, now: .milliseconds(now))
        }
        insert(100)
        insert(100)
        insert(110)
        insert(200)
        insert(300)
        insert(400)
        insert(0, now: 30)
        for time in [50, 150, 150, 330] { _ = buffer.next(at: .milliseconds(time)) }
        buffer.clear()
        var expected = ChunkCounts()
        (expected.accepted, expected.returned, expected.lateAtArrival, expected.lateInBuffer) = (3, 2, 1, 1)
        (expected.duplicates, expected.overlaps, expected.refused, expected.gaps) = (1, 1, 1, 1)
        expected.gapTime = .milliseconds(80)
        #expect(buffer.counts == expected)
        #expect(buffer.bytes == 0)
    }
}
