import Dispatch
import GStreamer
import GStreamerApp
import Synchronization
import Testing
import Threads

@Suite struct ApplicationEndOfStreamTests {
    private func renderedBuffers(_ pipeline: Pipeline) -> UInt64? {
        guard case .structure(let stats)? = pipeline["sink"]?.value("stats"),
            case .uint64(let count)? = stats["rendered"]
        else { return nil }
        return count
    }

    // MARK: Seeks

    /// Calls a closure when a SEEK event passes, before the source flushes.
    private struct SeekGate: BaseTransform, ~Copyable {
        static let factoryName = "seekgate"
        static let typeName = "GstSwiftTestSeekGate"
        static let metadata = ElementMetadata(
            "Seek gate", classification: "Filter", description: "Calls a closure for a seek", author: "Tests")
        static let padTemplates: [PadTemplate] = [.sink("ANY"), .source("ANY")]
        static let passthroughOnSameCaps = true
        static let seekPasses = Threads.Mutex<Handler<@Sendable () -> Void>?>(nil)

        let host: ElementHost
        init(host: ElementHost) { self.host = host }

        static func sourceEvent(_ event: borrowing Event, _ report: NoReport) -> Bool {
            if event.structure?.name == "GstEventSeek" { seekPasses.withLock { $0 }?.call() }
            return true
        }
    }

    private final class Flag: Sendable {
        let value = Atomic(false)
    }

    /// The streams are endless, so each end is that of an EOS event.
    @Test func endBeforeTheFlushOfASeekIsThatOfThePastStream() async throws {
        initialize()
        #expect(register(SeekGate.self, in: .none))
        for sink in ["fakesink sync=true", "fakesink async=false sync=true"] {
            let pipeline = try Pipeline("videotestsrc ! video/x-raw,width=16,height=16 ! seekgate ! \(sink)")
            let messages = pipeline.messages()
            try await pipeline.set(.playing)
            let hasEnded = DispatchSemaphore(value: 0)
            let watching = Task {
                for await message in messages { if case .endOfStream = message.contents { hasEnded.signal() } }
            }
            SeekGate.seekPasses.withLock {
                $0 = Handler {
                    if let event = Event.endOfStream() { pipeline.element.send(event) }
                    hasEnded.wait()
                }
            }
            try await pipeline.seek(to: .zero)
            SeekGate.seekPasses.withLock { $0 = nil }
            let isSent = Flag()
            let end = Task {
                try await pipeline.endOfStream()
                return isSent.value.load(ordering: .relaxed)
            }
            for _ in 0..<1000 { await Task.yield() }
            isSent.value.store(true, ordering: .relaxed)
            #expect(await pipeline.sendEndOfStream())
            #expect(try await end.value, "\(sink)")
            watching.cancel()
            try await pipeline.set(.null)
        }
    }

    @Test func endIsKeptWhenASeekFails() async throws {
        let pipeline = try Pipeline("fakesrc num-buffers=1 ! fakesink")
        try await pipeline.set(.playing)
        try await pipeline.endOfStream()
        await #expect(throws: PipelineError.self) { try await pipeline.seek(to: .zero) }
        try await pipeline.endOfStream()
        try await pipeline.set(.null)
    }

    // MARK: EOS events

    @Test func stoppedPipelineTakesNoEndOfStream() async throws {
        let pipeline = try Pipeline("fakesrc num-buffers=20 ! fakesink name=sink")
        for state in [ElementReference.State.null, .ready] {
            try await pipeline.set(state)
            #expect(await pipeline.sendEndOfStream() == false)
            try await pipeline.set(.playing)
            try await pipeline.endOfStream()
            #expect(renderedBuffers(pipeline) == 20, "\(state)")
        }
        try await pipeline.set(.null)
    }

    @Test func endOfStreamDuringAStopDoesNotEndTheNextRun() async throws {
        let pipeline = try Pipeline("fakesrc num-buffers=20 ! fakesink name=sink")
        for _ in 0..<100 {
            try await pipeline.set(.playing)
            async let isSent = pipeline.sendEndOfStream()
            try await pipeline.set(.null)
            _ = await isSent
            try await pipeline.set(.playing)
            try await pipeline.endOfStream()
            #expect(renderedBuffers(pipeline) == 20)
            try await pipeline.set(.null)
        }
    }

    /// In PAUSED, the source can send EOS only after the sink has taken the first buffer, in PLAYING.
    @Test(arguments: [ElementReference.State.playing, .null])
    func endOfStreamSentInPausedDoesNotPreventTheNextState(state: ElementReference.State) async throws {
        let pipeline = try Pipeline("fakesrc ! fakesink")
        try await pipeline.set(.paused)
        async let isSent = pipeline.sendEndOfStream()
        for _ in 0..<1000 { await Task.yield() }
        try await pipeline.set(state)
        let wasSent = await isSent
        if state == .playing {
            #expect(wasSent)
            try await pipeline.endOfStream()
        }
        try await pipeline.set(.null)
    }
}
