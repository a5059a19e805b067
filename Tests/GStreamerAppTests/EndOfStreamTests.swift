import GStreamer
import GStreamerApp
import Testing

@Suite struct ApplicationEndOfStreamTests {
    private func renderedBuffers(_ pipeline: Pipeline) -> UInt64? {
        guard case .structure(let stats)? = pipeline["sink"]?.value("stats"),
            case .uint64(let count)? = stats["rendered"]
        else { return nil }
        return count
    }

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
