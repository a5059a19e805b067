import MonitorPolicy
import Testing

/// Tests the figures of a pipeline while sinks are added and removed.
@Suite struct SinkSumTests {
    private func reading(_ id: Int, frames: UInt64, quiet: Duration = .zero) -> ElementReading {
        var counts = ElementCounts()
        (counts.hasInput, counts.framesIn, counts.bytesIn, counts.quiet) = (true, frames, frames * 10, quiet)
        counts.dropped = frames / 10
        var reading = ElementReading(id: id, name: "s\(id)", factory: "fakesink", kinds: ["sink"], counts: counts)
        reading.isSink = true
        return reading
    }

    @Test func countsOfSinksThatAreForgottenRemain() throws {
        var book = PipelineBook(name: "p", targets: Targets(), showsAll: true, now: .zero)
        var last = ElementCounts()
        for number in 1...50 as ClosedRange<UInt64> {
            let process = ProcessFigures()
            let present = [reading(0, frames: number * 30), reading(Int(number), frames: 20)]
            let (snapshot, _) = book.tick(present, process: process, now: .seconds(number))
            let counts = try #require(snapshot.pipeline).counts
            #expect(counts.framesIn == number * 50 && counts.bytesIn == number * 500)
            #expect(try #require(counts.dropped) >= last.dropped ?? 0 && counts.quiet >= last.quiet)
            last = counts
        }
        let (snapshot, _) = book.tick([], process: ProcessFigures(), now: .seconds(60))
        #expect(snapshot.pipeline?.counts.framesIn == 50 * 50)
    }

    /// A new sink counts as quiet before it was added, so that the rate of the pipeline does not fall.
    @Test func aNewSinkWasQuietBefore() throws {
        var book = PipelineBook(name: "p", targets: Targets(), showsAll: true, now: .zero)
        for number in 1...20 as ClosedRange<UInt64> {
            _ = book.tick(
                [reading(0, frames: 300, quiet: .seconds(number))], process: ProcessFigures(),
                now: .seconds(number))
        }
        let (snapshot, _) = book.tick(
            [reading(0, frames: 300, quiet: .seconds(21)), reading(1, frames: 30)], process: ProcessFigures(),
            now: .seconds(21))
        #expect(try #require(snapshot.pipeline).counts.quiet == .seconds(20))
    }
}
