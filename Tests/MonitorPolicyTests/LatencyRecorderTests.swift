import TestSupport
import MonitorPolicy
import Durations
import Synchronization
import Testing

@Suite struct LatencyRecorderTests {
    /// The progress of a writing thread, which another thread reads.
    private final class Progress: Sendable {
        let recorder = LatencyRecorder()
        let started = Atomic<UInt64>(0)
        let isDone = Atomic<Bool>(false)
    }

    @Test func countsWhatItRecords() {
        let recorder = LatencyRecorder()
        var random = Random(seed: 3)
        var expected = DurationHistogram()
        for _ in 0..<10_000 {
            let value = random.heavyTail(scale: 1e5)
            recorder.record(value)
            expected.add(.nanoseconds(value))
        }
        recorder.recordUnknown()
        #expect(recorder.read() == LatencyCounts(histogram: expected, unknown: 1))
        #expect(recorder.read().coverage == 10_000.0 / 10_001.0)
    }

    @Test func aReaderBesideTheWriterNeverSeesACountFallOrMoreThanWasWritten() async {
        let progress = Progress()
        let total: UInt64 = 300_000
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                var random = Random(seed: 5)
                for number in 1...total {
                    progress.started.store(number, ordering: .relaxed)
                    atomicMemoryFence(ordering: .sequentiallyConsistent)
                    progress.recorder.record(random.below(100_000_000))
                }
                progress.isDone.store(true, ordering: .releasing)
            }
            group.addTask {
                var last = DurationHistogram()
                while !progress.isDone.load(ordering: .acquiring) {
                    let counts = progress.recorder.read().histogram
                    atomicMemoryFence(ordering: .sequentiallyConsistent)
                    #expect(counts.count <= progress.started.load(ordering: .relaxed))
                    #expect(counts.count >= last.count)
                    let bins = 0..<DurationBins.count
                    #expect(bins.allSatisfy { counts.count(inBin: $0) >= last.count(inBin: $0) })
                    last = counts
                    await Task.yield()
                }
            }
        }
        #expect(progress.recorder.read().histogram.count == total)
    }

    @Test func windowsReadBesideTheWriterAddUpToAllThatWasWritten() async {
        let record = ElementRecord(name: "a", factory: "b", now: 0)
        let pad = record.addPad(.sink)
        let total: UInt64 = 200_000
        let progress = Progress()
        @Sendable func write() {
            for number in 0..<total {
                pad.framePassed(pts: number, now: number)
                pad.recordAge(Int64(number % 1_000_000))
            }
            progress.isDone.store(true, ordering: .releasing)
        }
        async let written: Void = write()
        var history = ElementHistory(now: .zero)
        var now: UInt64 = 0
        var frames: UInt64 = 0
        var ages: UInt64 = 0
        var isLast = false
        while !isLast {
            isLast = progress.isDone.load(ordering: .acquiring)
            now += 1_000_000_000
            history.tick(record.read(now: now), now: .nanoseconds(now))
            let tick = history.figures(last: .seconds(1))
            frames += tick.framesIn
            ages += tick.age.histogram.count
            await Task.yield()
        }
        await written
        #expect(frames == total && ages == total)
    }
}
