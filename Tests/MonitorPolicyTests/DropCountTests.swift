import TestSupport
import MonitorPolicy
import Testing

/// Tests the count of dropped frames for any number of successive drops and of frames that wait in the element.
@Suite struct DropCountTests {
    private let sink = PadRecord(role: .sink)
    private let source = PadRecord(role: .source)

    private func enter(_ numbers: Range<UInt64>) {
        for number in numbers { sink.framePassed(pts: number * 40, now: number) }
    }

    private func leave(_ numbers: Range<UInt64>) {
        for number in numbers {
            source.framePassed(pts: number * 40, now: number + 5000)
            source.frameLeft(pts: number * 40, now: number + 5000, sinks: [sink])
        }
    }

    @Test(arguments: [255, 256, 257, 300, 1000, 100_000] as [UInt64])
    func anyNumberOfFramesInARowIsCounted(gap: UInt64) {
        enter(0..<10)
        leave(0..<10)
        enter(10..<(10 + gap))
        #expect(source.read().dropped == 0, "they may wait")
        let next = 10 + gap
        enter(next..<(next + 40))
        leave(next..<(next + 40))
        #expect(source.read().dropped == gap)
        source.streamEnded(sinks: [sink])
        #expect(source.read().dropped == gap)
    }

    @Test func framesThatLeaveALongQueueAreNotDropped() {
        enter(0..<1000)
        leave(0..<1000)
        source.streamEnded(sinks: [sink])
        #expect(source.read().dropped == 0)
        #expect(source.read().counts.latency.unknown == 1000 - 256)
    }

    @Test(arguments: [1, 40, 300, 900] as [UInt64])
    func dropsOfALongQueueAreCountedWhenItIsShort(dropped: UInt64) {
        enter(0..<1000)
        leave(dropped..<1000)
        #expect(source.read().dropped <= dropped)
        enter(1000..<1100)
        leave(1000..<1100)
        #expect(source.read().dropped == dropped)
        source.streamEnded(sinks: [sink])
        #expect(source.read().dropped == dropped)
    }

    @Test func framesThatWereFlushedFromALongQueueAreNotDropped() {
        enter(0..<1000)
        leave(0..<100)
        sink.restart(isLate: false)
        enter(1000..<1100)
        leave(1000..<1100)
        source.streamEnded(sinks: [sink])
        #expect(source.read().dropped == 0)
    }

    /// Theora headers do not leave; on a busy machine, preroll after them may last so long that it counts as a pause.
    @Test func framesThatDoNotLeaveAfterAPauseAreDropped() {
        enter(0..<3)
        sink.reset()
        enter(3..<51)
        leave(3..<51)
        source.streamEnded(sinks: [sink])
        #expect(source.read().dropped == 3)
    }

    /// Packets without a valid PTS, such as those of `avenc_mpeg4`, are not found.
    @Test func framesThatAreNotFoundAfterAPauseAreNotDropped() {
        enter(0..<1)
        sink.reset()
        enter(1..<48)
        for _ in 0..<48 { source.frameLeft(pts: 1 << 63, now: 48, sinks: [sink]) }
        source.streamEnded(sinks: [sink])
        #expect(source.read().dropped == 0)
    }

    /// Frames randomly enter a queue, leave it or are dropped, and the test compares the counts with a list.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func dropsOfAQueueAreThoseOfAList(seed: UInt64) {
        var random = Random(seed: seed)
        var (queue, next, dropped, last): ([UInt64], UInt64, UInt64, UInt64) = ([], 0, 0, 0)
        for _ in 0..<400 {
            let count: UInt64 = random.below(random.below(10) == 0 ? 700 : 20)
            switch random.below(8) {
            case 0...3:
                enter(next..<(next + count))
                queue += next..<(next + count)
                next += count
            case 4...6:
                for number in queue.prefix(Int(count)) { leave(number..<(number + 1)) }
                queue.removeFirst(min(Int(count), queue.count))
            default:
                let lost = min(Int(count), queue.count)
                queue.removeFirst(lost)
                dropped += UInt64(lost)
            }
            #expect(source.read().dropped >= last && source.read().dropped <= dropped)
            last = source.read().dropped
        }
        for number in queue { leave(number..<(number + 1)) }
        source.streamEnded(sinks: [sink])
        #expect(source.read().dropped == dropped)
    }
}

extension DropCountTests {
    /// A frame that does not leave by one pad may leave by another pad, as in `output-selector`.
    @Test(
        arguments: [
            ([[0, 1, 2, 3]], 0), ([[0, 1, 2]], 100), ([[0, 1], [2, 3]], nil), ([[0, 1, 2, 3], [0]], 0),
            ([[], [0]], nil),
        ] as [([Set<UInt64>], UInt64?)])
    func dropsOfSeveralSourcePadsAreNoneOrUnknown(leaving: [Set<UInt64>], dropped: UInt64?) {
        let record = ElementRecord(name: "o", factory: "output-selector", now: 0)
        let sink = record.addPad(.sink)
        let sources = leaving.map { ($0, record.addPad(.source)) }
        for number in 0..<400 as Range<UInt64> {
            sink.framePassed(pts: number, now: number)
            for (rests, source) in sources where rests.contains(number % 4) {
                source.frameLeft(pts: number, now: number, sinks: [sink])
            }
        }
        for (_, source) in sources { source.streamEnded(sinks: [sink]) }
        #expect(record.read(now: 400).dropped == dropped)
    }

    @Test func countsOfARemovedPadRemain() {
        let record = ElementRecord(name: "t", factory: "tee", now: 0)
        let sink = record.addPad(.sink)
        for round in 1...100 as ClosedRange<UInt64> {
            let source = record.addPad(.source)
            for number in 0..<10 as Range<UInt64> {
                sink.framePassed(pts: number, now: number, bytes: 3)
                source.framePassed(pts: number, now: number, bytes: 3)
                source.frameLeft(pts: number, now: number + 2, sinks: [sink])
                source.recordAge(5)
            }
            record.removePad(source)
            let counts = record.read(now: 100)
            #expect(counts.framesIn == round * 10 && counts.framesOut == round * 10 && counts.bytesOut == round * 30)
            #expect(counts.frames == round * 10 && counts.hasOutput && counts.age.histogram.count == round * 10)
            #expect(counts.latency.histogram.count == round * 10)
        }
    }
}
