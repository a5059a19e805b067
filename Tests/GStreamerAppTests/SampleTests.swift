import Foundation
import GStreamer
import GStreamerApp
import Testing

@Suite struct ApplicationSampleTests {
    private let small = "video/x-raw,format=GRAY8,width=16,height=16,framerate=30/1"

    /// Starts a pipeline, and returns when its source accepts buffers; the sink prerolls with the first one.
    private func start(_ pipeline: Pipeline) async -> Task<Void, any Error> {
        let messages = pipeline.messages()
        let start = Task { try await pipeline.set(.playing) }
        for await message in messages where message.source == "source" {
            if case .stateChanged(_, .paused) = message.contents { break }
        }
        return start
    }

    @Test func everySampleArrivesOnceAndInOrder() async throws {
        let pipeline = try Pipeline("videotestsrc num-buffers=50 ! \(small) ! appsink name=sink sync=false")
        let samples = try pipeline.samples(of: "sink")
        for _ in 0..<2 {
            try await pipeline.set(.playing)
            var times: [Duration?] = []
            for try await sample in samples {
                times.append(sample.buffer?.pts)
                #expect(sample.bytes.count == 256)
            }
            #expect(times.count == 50)
            #expect(times.compactMap { $0 } == times.compactMap { $0 }.sorted())
            try await pipeline.set(.null)
        }
    }

    @Test func consumerThatWaitsStopsTheSource() async throws {
        let pipeline = try Pipeline("fakesrc name=source ! identity name=count ! appsink name=sink sync=false")
        let samples = try pipeline.samples(of: "sink")
        try await pipeline.set(.playing)
        var read: UInt64 = 0
        for try await _ in samples {
            read += 1
            for _ in 0..<100 { await Task.yield() }
            // One is in the appsink, and one is pushed.
            guard case .structure(let stats)? = pipeline["count"]?.value("stats"),
                case .uint64(let buffers)? = stats["num-buffers"]
            else {
                Issue.record("identity has no stats.")
                break
            }
            #expect(buffers <= read + 2)
            if read == 50 { break }
        }
        try await pipeline.set(.null)
    }

    @Test func samplesEndWhenThePipelineStops() async throws {
        let pipeline = try Pipeline("appsrc ! appsink name=sink")
        let samples = try pipeline.samples(of: "sink")
        let reading = Task {
            var count = 0
            for try await _ in samples { count += 1 }
            return count
        }
        // The first turn may end before the task waits, so the pipeline stops until the task has ended.
        let stopping = Task {
            while !Task.isCancelled {
                pipeline.element.setState(.playing)
                try await pipeline.set(.null)
            }
        }
        #expect(try await reading.value == 0)
        stopping.cancel()
        _ = await stopping.result
        try await pipeline.set(.null)
    }

    @Test func errorOfAnElementIsThrownAfterTheSamples() async throws {
        let pipeline = try Pipeline("fakesrc ! identity name=fault error-after=5 ! appsink name=sink sync=false")
        let samples = try pipeline.samples(of: "sink")
        try? await pipeline.set(.playing)
        var count = 0
        let error = await #expect(throws: PipelineError.self) { for try await _ in samples { count += 1 } }
        #expect(error?.source == "fault")
        // identity passes one buffer less than `error-after`.
        #expect(count == 4)
        try await pipeline.set(.null)
    }

    /// The signal of the end precedes the sequence, with and without samples in the queue.
    @Test(arguments: [0, 3]) func sequenceOfAnEndedAppsinkEnds(samples: Int) async throws {
        let pipeline = try Pipeline(
            "fakesrc num-buffers=\(samples) ! appsink name=sink sync=false wait-on-eos=false max-buffers=10")
        for _ in 0..<2 {
            try await pipeline.set(.playing)
            try await pipeline.endOfStream()
            var count = 0
            for try await _ in try pipeline.samples(of: "sink") { count += 1 }
            #expect(count == samples)
            for try await _ in try pipeline.samples(of: "sink") { count += 1 }
            #expect(count == samples)
            try await pipeline.set(.null)
        }
    }

    /// An appsink keeps EOS in READY.
    @Test func sequenceOfARunAfterReadyHasItsSamples() async throws {
        let pipeline = try Pipeline("appsrc name=source ! appsink name=sink sync=false")
        let writer = try pipeline.writer(to: "source")
        for _ in 0..<3 {
            let start = await start(pipeline)
            let samples = try pipeline.samples(of: "sink")
            let reading = Task {
                var count = 0
                for try await _ in samples { count += 1 }
                return count
            }
            for _ in 0..<1000 { await Task.yield() }
            let bytes: [UInt8] = [1]
            if let buffer = Buffer(copying: bytes.span) { try await writer.write(buffer) }
            writer.finish()
            #expect(try await reading.value == 1)
            try await start.value
            try await pipeline.endOfStream()
            try await pipeline.set(.ready)
        }
        try await pipeline.set(.null)
    }

    @Test func samplesAreReadAgainAfterASeek() async throws {
        let pipeline = try Pipeline("filesrc name=file ! wavparse ! appsink name=sink sync=false")
        let file = FileManager.default.temporaryDirectory.appending(path: "samples-\(UUID()).wav")
        defer { try? FileManager.default.removeItem(at: file) }
        let recording = try Pipeline("audiotestsrc num-buffers=20 ! wavenc ! filesink name=file")
        for each in [recording, pipeline] {
            each["file"]?.set("location", toString: file.path(percentEncoded: false))
        }
        try await recording.set(.playing)
        try await recording.endOfStream()
        try await recording.set(.null)
        try await pipeline.set(.playing)
        for _ in 0..<3 {
            var bytes = 0
            for try await sample in try pipeline.samples(of: "sink") { bytes += sample.bytes.count }
            // Twenty buffers of 1024 samples of two bytes.
            #expect(bytes == 40_960)
            try await pipeline.seek(to: .zero)
        }
        try await pipeline.set(.null)
    }

    @Test func cancelledTaskStopsReading() async throws {
        let pipeline = try Pipeline("appsrc ! appsink name=sink async=false")
        let samples = try pipeline.samples(of: "sink")
        try await pipeline.set(.playing)
        let task = Task { for try await _ in samples {} }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await pipeline.set(.null)
    }

    @Test func onlyAppElementsHaveSamples() throws {
        let pipeline = try Pipeline("fakesrc name=a ! fakesink name=b")
        #expect(throws: PipelineError.self) { try pipeline.samples(of: "b") }
        #expect(throws: PipelineError.self) { try pipeline.samples(of: "c") }
        #expect(throws: PipelineError.self) { try pipeline.writer(to: "a") }
    }

    /// The sink keeps the first buffer until PLAYING, so the queue of the appsrc fills.
    @Test func writerWaitsWhileTheQueueIsFull() async throws {
        let pipeline = try Pipeline("appsrc name=source max-bytes=8 ! fakesink")
        let writer = try pipeline.writer(to: "source")
        pipeline.element.setState(.paused)
        let writing = Task {
            let bytes: [UInt8] = [1, 2, 3, 4]
            for _ in 0..<50 {
                if let buffer = Buffer(copying: bytes.span) { try await writer.write(buffer) }
            }
        }
        var (most, left): (UInt64, Int) = (0, 1000)
        while left > 0 {
            await Task.yield()
            if case .uint64(let bytes)? = pipeline["source"]?.value("current-level-bytes") { most = max(most, bytes) }
            if most >= 8 { left -= 1 }
        }
        #expect(most <= 12)
        try await pipeline.set(.null)
        await #expect(throws: FlowResult.flushing) { try await writing.value }
    }

    /// The writer is stopped by the queue of the appsrc, and loses nothing.
    @Test func writtenBuffersArriveInOrder() async throws {
        let pipeline = try Pipeline("appsrc name=source max-bytes=8 ! appsink name=sink sync=false")
        let samples = try pipeline.samples(of: "sink")
        let writer = try pipeline.writer(to: "source")
        let start = await start(pipeline)
        let writing = Task {
            for number in 0..<UInt8(200) {
                let bytes: [UInt8] = [number, 0, 0, 0]
                guard let buffer = Buffer(copying: bytes.span) else { return }
                try await writer.write(buffer)
            }
            writer.finish()
        }
        var read: [UInt8] = []
        for try await sample in samples { read.append(contentsOf: sample.bytes.prefix(1)) }
        #expect(read == Array(0..<200))
        try await writing.value
        try await start.value
        try await pipeline.set(.null)
        await #expect(throws: FlowResult.flushing) {
            let bytes: [UInt8] = [1]
            if let buffer = Buffer(copying: bytes.span) { try await writer.write(buffer) }
        }
    }
}
