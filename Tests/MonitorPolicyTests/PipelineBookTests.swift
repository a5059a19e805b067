import Testing

@testable import MonitorPolicy

/// Tests alerts about a removed element, and the condition of the stream.
@Suite struct PipelineBookTests {
    /// A pipeline with one element, whose frames take 50 ms.
    private struct Run {
        static let second: UInt64 = 1_000_000_000

        private(set) var book: PipelineBook
        var isPresent = true
        var levels: [ElementSnapshot.Level] = []
        private let record = ElementRecord(name: "encoder", factory: "x264enc", now: 1)
        private let sink: PadRecord
        private let source: PadRecord
        private var time: UInt64 = 1

        init(_ targets: String) throws {
            book = PipelineBook(name: "p", targets: try Targets(text: targets), showsAll: false, now: .seconds(1))
            sink = record.addPad(.sink)
            source = record.addPad(.source)
        }

        /// Plays a second with up to 30 frames, and returns the changes of alerts.
        mutating func play(frames: UInt64 = 30) -> [AlertEvent] {
            for frame in 0..<frames {
                let now = (time * Self.second) + (frame * Self.second / 30)
                sink.framePassed(pts: now, now: now)
                record.quiet.frameArrived(now: now)
                source.framePassed(pts: now, now: now + 50_000_000)
                source.frameLeft(pts: now, now: now + 50_000_000, sinks: [sink])
            }
            time += 1
            let now = time * Self.second
            var reading = ElementReading(
                id: 1, name: "encoder", factory: "x264enc", kinds: ["encoder"], counts: record.read(now: now))
            reading.isPresent = isPresent
            reading.levels = levels
            return book.tick([reading], process: ProcessFigures(), now: .nanoseconds(now)).events
        }
    }

    @Test func alertsOfARemovedElementAreCleared() throws {
        var run = try Run("encoder: p95=20ms")
        for _ in 0..<40 { _ = run.play() }
        #expect(run.book.alerts.map(\.element) == ["encoder"])
        // The figures of the removed element are still read.
        run.isPresent = false
        #expect(run.play(frames: 0).map(\.change) == [.cleared])
        #expect(run.book.alerts.isEmpty)
        #expect(run.book.unmatchedTargets == [], "an element has matched the target before")
    }

    @Test func conditionIsWhetherFramesPassAndWhetherTheQualityIsReduced() throws {
        var run = try Run("encoder: p95=20ms")
        _ = run.play()
        #expect(run.book.condition.isFlowing && !run.book.condition.isReduced)
        run.levels = [.init("ladder-step", 1)]
        _ = run.play(frames: 0)
        #expect(!run.book.condition.isFlowing && run.book.condition.isReduced)
        run.levels = [.init("ladder-step", 0)]
        _ = run.play(frames: 1)
        #expect(run.book.condition.isFlowing && !run.book.condition.isReduced)
    }
}
