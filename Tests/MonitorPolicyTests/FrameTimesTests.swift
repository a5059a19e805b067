import TestSupport
import MonitorPolicy
import Testing

@Suite struct FrameTimesTests {
    /// A table that two threads use.
    private final class Shared: Sendable {
        let table = FrameTimes()
    }

    @Test func findsTheTimeOfEachOfTheLast256Frames() {
        let table = FrameTimes()
        let cursor = FrameCursor()
        for number in 0..<1000 as Range<UInt64> { table.note(pts: number * 40, time: number + 7) }
        for number in 744..<1000 as Range<UInt64> {
            let match = cursor.find(pts: number * 40, in: table)
            #expect(match?.number == number && match?.pts == number * 40 && match?.time == number + 7)
        }
        #expect(cursor.find(pts: 743 * 40, in: table) == nil)
    }

    @Test func aRetimedFrameHasTheTimeOfTheNearestEarlierOne() {
        let table = FrameTimes()
        let cursor = FrameCursor()
        for number in 0..<20 as Range<UInt64> { table.note(pts: number * 40, time: number) }
        #expect(cursor.find(pts: 79, in: table)?.time == 1)
        #expect(cursor.find(pts: 80, in: table)?.time == 2)
        #expect(cursor.find(pts: 5000, in: table)?.time == 19)
        #expect(cursor.find(pts: 19 * 40 + FrameTimes.longestDistance + 1, in: table) == nil)
    }

    @Test(arguments: [false, true])
    func drawnLookupsMatchAnExhaustiveSearch(isReordered: Bool) {
        var random = Random(seed: isReordered ? 21 : 22)
        let table = FrameTimes()
        let cursor = FrameCursor()
        var noted: [(pts: UInt64, time: UInt64)] = []
        for number in 0..<2000 as Range<UInt64> {
            // Frames change their order within groups of four, as in an encoder with B-frames.
            let place = isReordered ? number ^ (random.next() & 3) : number
            let frame = (pts: place * 1_000_000, time: number)
            table.note(pts: frame.pts, time: frame.time)
            noted.append(frame)
            let asked = random.below((number + 2) * 1_000_000)
            let candidates = noted.suffix(256).filter {
                $0.pts <= asked && asked - $0.pts <= FrameTimes.longestDistance
            }
            let nearest = candidates.map(\.pts).max()
            #expect(cursor.find(pts: asked, in: table)?.pts == nearest)
        }
    }

    @Test func hostileTimestampsNeverTrap() {
        let extremes: [UInt64] = [
            0, 1, .max, .max - 1, 1 << 63, (1 << 63) - 1, 1_000_000_000, .max - 1_000_000_000, 5, 5, 5, 0,
        ]
        let table = FrameTimes()
        let cursor = FrameCursor()
        var random = Random(seed: 4)
        for step in 0..<5000 as Range<UInt64> {
            let stamp = random.below(3) == 0 ? random.next() : extremes[Int(random.below(UInt64(extremes.count)))]
            table.note(pts: stamp, time: random.next())
            if let match = cursor.find(pts: random.below(2) == 0 ? stamp : random.next(), in: table) {
                #expect(match.number < table.noted && match.pts != FrameTimes.noPTS)
            }
            if step % 700 == 699 { table.reset() }
        }
    }

    @Test func aFrameWithoutTimestampIsCountedAndNeverFound() {
        let table = FrameTimes()
        let cursor = FrameCursor()
        table.note(pts: FrameTimes.noPTS, time: 1)
        #expect(table.noted == 1 && table.stamped == 0)
        table.note(pts: 50, time: 2)
        table.note(pts: FrameTimes.noPTS, time: 3)
        table.note(pts: 90, time: 4)
        #expect(table.noted == 4 && table.stamped == 2)
        #expect(cursor.find(pts: FrameTimes.noPTS, in: table) == nil)
        #expect(cursor.find(pts: 50, in: table)?.time == 2 && cursor.find(pts: 91, in: table)?.time == 4)
    }

    @Test func ofNeighboursWithOneTimestampTheFirstThatHasNotLeftIsFound() {
        let table = FrameTimes()
        let cursor = FrameCursor()
        for number in 0..<12 as Range<UInt64> { table.note(pts: number / 4 * 40, time: number) }
        #expect(cursor.find(pts: 40, in: table)?.number == 4)
        #expect(cursor.find(pts: 80, in: table) { $0 < 9 }?.number == 9)
        #expect(cursor.find(pts: 80, in: table)?.number == 10, "the one behind the last")
    }

    @Test func aResetForgetsEarlierFrames() {
        let table = FrameTimes()
        let cursor = FrameCursor()
        for number in 0..<10 as Range<UInt64> { table.note(pts: number, time: number) }
        table.reset()
        #expect(cursor.find(pts: 9, in: table) == nil)
        table.note(pts: 3, time: 99)
        #expect(cursor.find(pts: 3, in: table)?.time == 99)
        #expect(cursor.find(pts: 9, in: table)?.time == 99)
    }

    @Test func aReaderBesideTheWriterFindsNoTimeOfAnotherFrame() async {
        let shared = Shared()
        let total: UInt64 = 200_000
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for number in 0..<total { shared.table.note(pts: number * 10, time: number * 3) } }
            group.addTask {
                let cursor = FrameCursor()
                var random = Random(seed: 6)
                while shared.table.noted < total {
                    await Task.yield()
                    let last = shared.table.noted
                    guard last > 0 else { continue }
                    let asked = (last - 1 - min(last - 1, random.below(260))) * 10
                    if let match = cursor.find(pts: asked, in: shared.table) {
                        #expect(match.time * 10 == match.pts * 3)
                    }
                }
            }
        }
    }
}
