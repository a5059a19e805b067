import TestSupport
import MonitorPolicy
import Testing

/// Tests that the number of frames in an element, which is the number that entered minus the numbers that left and were
/// dropped, is not negative, and 0 after EOS.
@Suite struct AccountTests {
    /// The PTS with which a frame enters and leaves an element, as a function of the frame's number from 0.
    enum Stamps: CaseIterable {
        /// Each frame leaves with the PTS with which it entered.
        case kept
        /// Five successive packets have the same PTS.
        case shared
        /// 300 successive frames have the same PTS, more than the 256 frames that `FrameTimes` stores.
        case crowded
        /// No frame has a PTS.
        case none
        /// One frame in three has no PTS.
        case mixed
        /// Each frame leaves with a different PTS, as from a jitter buffer.
        case shifted
        /// Frames enter at 30 frames/s and leave with the PTS of 29.97 frames/s, as from `videorate`.
        case stretched

        func entering(_ number: UInt64) -> UInt64 {
            switch self {
            case .shared: number / 5 * 33_333_333
            case .crowded: number / 300 * 33_333_333
            case .none: FrameTimes.noPTS
            case .mixed: number % 3 == 0 ? FrameTimes.noPTS : number * 33_333_333
            default: number * 33_333_333
            }
        }

        func leaving(_ number: UInt64) -> UInt64 {
            switch self {
            case .shifted: entering(number) + 700_000 - (number % 3) * 650_000
            case .stretched: number * 33_366_667
            default: entering(number)
            }
        }
    }

    /// An element that holds frames, drops some of them, and outputs the rest in order.
    private struct Model {
        let stamps: Stamps
        let sink = PadRecord(role: .sink)
        let source = PadRecord(role: .source)
        var held: [UInt64] = []
        var entered: UInt64 = 0
        var left: UInt64 = 0
        var dropped: UInt64 = 0

        init(stamps: Stamps) { self.stamps = stamps }

        mutating func enter(_ count: UInt64) {
            for _ in 0..<count {
                sink.framePassed(pts: stamps.entering(entered), now: entered)
                held.append(entered)
                entered += 1
            }
        }

        mutating func leave(_ count: UInt64) {
            for number in held.prefix(Int(count)) {
                source.frameLeft(pts: stamps.leaving(number), now: entered, sinks: [sink])
                source.framePassed(pts: stamps.leaving(number), now: entered)
                left += 1
            }
            held.removeFirst(min(Int(count), held.count))
        }

        mutating func drop(_ count: UInt64) {
            let lost = min(Int(count), held.count)
            held.removeFirst(lost)
            dropped += UInt64(lost)
        }
    }

    @Test(arguments: Stamps.allCases, 0..<12 as Range<UInt64>)
    func heldIsNeverNegativeAndNothingIsHeldAtTheEnd(stamps: Stamps, seed: UInt64) {
        var random = Random(seed: seed)
        var model = Model(stamps: stamps)
        for _ in 0..<300 {
            let count: UInt64 = random.below(random.below(10) == 0 ? 400 : 12)
            switch random.below(8) {
            case 0...3: model.enter(count)
            case 4...6: model.leave(count)
            default: if seed % 3 > 0 { model.drop(random.below(3)) }
            }
            let counted = model.source.read().dropped
            #expect(counted <= model.dropped, "a frame counts as dropped that has left or may leave")
        }
        if seed % 2 == 0 { model.leave(1_000_000) }
        model.source.streamEnded(sinks: [model.sink])
        #expect(model.source.read().dropped == model.entered - model.left, "what does not leave until EOS is dropped")
    }

    @Test func packetsThatShareATimestampAndOvertakeEachOtherAreNotDropped() {
        let (sink, source) = (PadRecord(role: .sink), PadRecord(role: .source))
        for group in 0..<200 as Range<UInt64> {
            for _ in 0..<3 { sink.framePassed(pts: group * 40, now: group) }
            // The packets of two frames leave alternately.
            guard group % 2 == 1 else { continue }
            for _ in 0..<3 {
                for pts in [(group - 1) * 40, group * 40] { source.frameLeft(pts: pts, now: group, sinks: [sink]) }
            }
        }
        #expect(source.read().dropped == 0)
        source.streamEnded(sinks: [sink])
        #expect(source.read().dropped == 0)
    }

    /// `imagefreeze`, `videorate` at a higher rate, and encoders whose first buffers are headers add frames.
    @Test(arguments: [FrameTimes.noPTS, 5 * 40, 5 * 40 + 3] as [UInt64]) func dropsOfAnElementThatAddsFramesAreUnknown(
        pts: UInt64
    ) {
        let record = ElementRecord(name: "a", factory: "a", now: 0)
        let (sink, source) = (record.addPad(.sink), record.addPad(.source))
        func leave(_ pts: UInt64) {
            source.framePassed(pts: pts, now: 5)
            source.frameLeft(pts: pts, now: 5, sinks: [sink])
        }
        for number in 0..<10 as Range<UInt64> {
            sink.framePassed(pts: number * 40, now: number)
            leave(number * 40)
        }
        #expect(record.read(now: 9).dropped == 0)
        leave(pts)
        #expect(record.read(now: 9).dropped == nil)
        record.reportDropped(3)
        #expect(record.read(now: 9).dropped == 3, "the element knows it")
    }

    /// A queue always holds 600 frames, which is more than `FrameTimes` stores.
    @Test(arguments: [0, 5] as [UInt64]) func framesThatWereInsideAtTheBeginningEnterWhenTheyLeave(dropped: UInt64) {
        let record = ElementRecord(name: "a", factory: "a", now: 0)
        let (sink, source) = (record.addPad(.sink), record.addPad(.source))
        sink.restart(isLate: true)
        for number in 0..<2000 as Range<UInt64> {
            if number >= 600, number < 1995 - dropped {
                source.frameLeft(pts: (number - 600) * 40, now: number, sinks: [sink])
                source.framePassed(pts: (number - 600) * 40, now: number)
            }
            if number >= 600 { sink.framePassed(pts: number * 40, now: number) }
            let counts = record.read(now: number)
            #expect(counts.framesIn >= counts.framesOut && counts.dropped == 0)
            if number == 1300 { #expect(counts.framesIn - counts.framesOut == 600) }
        }
        for number in 1395..<2000 as Range<UInt64> {
            source.frameLeft(pts: number * 40, now: number, sinks: [sink])
            source.framePassed(pts: number * 40, now: number)
        }
        source.streamEnded(sinks: [sink])
        let counts = record.read(now: 2000)
        #expect(counts.framesIn == 2000 && counts.framesOut == 2000 - dropped && counts.dropped == dropped)
    }

    /// A jitter buffer, whose packets are identified by hashes, holds fewer or more packets than `FrameTimes` stores.
    @Test(arguments: [50, 600] as [UInt64]) func packetsThatWereInsideAtTheBeginningEnterWhenTheyLeave(inside: UInt64) {
        let record = ElementRecord(name: "a", factory: "a", now: 0)
        let (sink, source) = (record.addPad(.sink, isOrdered: false), record.addPad(.source, isOrdered: false))
        let identity = { (number: UInt64) in number &* 0x9E37_79B9_7F4A_7C15 }
        func leave(_ number: UInt64) {
            source.frameLeft(pts: identity(number), now: number, sinks: [sink])
            source.framePassed(pts: identity(number), now: number)
        }
        sink.restart(isLate: true)
        for number in inside..<2000 {
            leave(number - inside)
            sink.framePassed(pts: identity(number), now: number)
            let counts = record.read(now: number)
            #expect(counts.framesIn >= counts.framesOut && counts.dropped == 0)
        }
        // The last five packets are dropped.
        for number in 2000 - inside..<1995 { leave(number) }
        source.streamEnded(sinks: [sink])
        let counts = record.read(now: 2000)
        #expect(counts.framesIn == 2000 && counts.framesOut == 1995 && counts.dropped == 5)
    }

    private static let back: [UInt64] = [300] + Array(0..<200)

    /// B-frames, or a segment with earlier times, follow the first recorded frame, which thus has the highest PTS.
    @Test(arguments: [([8, 6, 7], [6, 7, 8]), (back, back)] as [([UInt64], [UInt64])])
    func framesWithEarlierTimesThanTheFirstAreFound(times: [UInt64], leaving: [UInt64]) {
        let record = ElementRecord(name: "a", factory: "a", now: 0)
        let (sink, source) = (record.addPad(.sink), record.addPad(.source))
        sink.restart(isLate: true)
        for time in times { sink.framePassed(pts: time * 40, now: 1) }
        for time in leaving {
            source.frameLeft(pts: time * 40, now: 2, sinks: [sink])
            source.framePassed(pts: time * 40, now: 2)
        }
        source.streamEnded(sinks: [sink])
        let (counts, count) = (record.read(now: 3), UInt64(times.count))
        #expect(counts.framesIn == count && counts.framesOut == count && counts.dropped == 0)
    }

    /// The element reports 900 drops before the recording begins, and later drops frames that it held at this time.
    @Test func reportedDropsCountWhileFramesAreRecorded() {
        let record = ElementRecord(name: "a", factory: "a", now: 0)
        let (sink, source) = (record.addPad(.sink), record.addPad(.source))
        func pass(_ frames: Range<UInt64>) {
            for number in frames {
                sink.framePassed(pts: number * 40, now: number)
                source.frameLeft(pts: number * 40, now: number, sinks: [sink])
                source.framePassed(pts: number * 40, now: number)
            }
        }
        record.endReports()
        record.reportDropped(890)
        sink.restart(isLate: true)
        record.beginReports(at: 900)
        pass(1000..<1010)
        #expect(record.read(now: 9).dropped == 0)
        record.reportDropped(903)
        var counts = record.read(now: 9)
        #expect(counts.dropped == 3 && counts.framesIn == 13 && counts.framesOut == 10)
        record.endReports()
        record.reportDropped(950)
        sink.restart(isLate: true)
        record.beginReports(at: 960)
        record.reportDropped(962)
        pass(2000..<2010)
        counts = record.read(now: 9)
        #expect(counts.dropped == 5 && counts.framesIn == 25 && counts.framesOut == 20)
    }

    @Test func framesOfBeforeAPauseAreNotTakenForOthers() {
        var model = Model(stamps: .kept)
        model.enter(20)
        model.sink.reset()
        model.leave(20)
        model.enter(40)
        model.drop(4)
        model.leave(36)
        model.source.streamEnded(sinks: [model.sink])
        #expect(model.source.read().dropped == 4)
    }
}
