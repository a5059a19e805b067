import GStreamer
import GStreamerApp
import Testing
import Threads

@Suite struct ApplicationPipelineTests {
    // MARK: Errors

    @Test func launchLineThatCannotBeParsedIsAnErrorWithItsText() {
        let error = #expect(throws: PipelineError.self) { try Pipeline("videotestsrc ! no-such-element") }
        #expect(error?.text == "no element \"no-such-element\"")
        #expect(error?.domain == "gst_parse_error")
        #expect(throws: PipelineError.self) { try Pipeline("") }
    }

    @Test func errorOfAnElementEndsTheStateChangeAndNamesTheElement() async throws {
        let pipeline = try Pipeline("filesrc name=file location=/no-such-file ! fakesink")
        let error = await #expect(throws: PipelineError.self) { try await pipeline.set(.playing) }
        #expect(error?.source == "file")
        #expect(error?.domain == "gst-resource-error-quark")
        // GST_RESOURCE_ERROR_NOT_FOUND.
        #expect(error?.code == 3)
        await #expect(throws: PipelineError.self) { try await pipeline.endOfStream() }
        // The error is forgotten with the stop.
        try await pipeline.set(.null)
        pipeline["file"]?.set("location", toString: "/dev/null")
        try await pipeline.set(.playing)
        try await pipeline.endOfStream()
    }

    @Test func errorWhileTheStreamPlaysEndsTheWait() async throws {
        let pipeline = try Pipeline("fakesrc ! identity name=fault error-after=5 ! fakesink async=false")
        let error = await #expect(throws: PipelineError.self) {
            try await pipeline.set(.playing)
            try await pipeline.endOfStream()
        }
        #expect(error?.source == "fault")
        try await pipeline.set(.null)
    }

    // MARK: States and times

    @Test func stateIsReachedWhenTheCallReturns() async throws {
        let pipeline = try Pipeline("videotestsrc ! fakesink name=sink")
        for _ in 0..<3 {
            try await pipeline.set(.playing)
            #expect(pipeline["sink"]?.isActive == true)
            try await pipeline.set(.paused)
            try await pipeline.set(.null)
            #expect(pipeline["sink"]?.isActive == false)
        }
    }

    @Test func endOfStreamIsKeptUntilTheStop() async throws {
        let pipeline = try Pipeline("fakesrc num-buffers=3 ! fakesink")
        for _ in 0..<3 {
            try await pipeline.set(.playing)
            try await pipeline.endOfStream()
            try await pipeline.endOfStream()
            try await pipeline.set(.null)
        }
    }

    @Test func cancelledTaskStopsWaiting() async throws {
        // The sink never gets a buffer, so the pipeline never prerolls.
        let pipeline = try Pipeline("appsrc ! fakesink")
        for state in [ElementReference.State.paused, .playing] {
            let task = Task { try await pipeline.set(state) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        let end = Task { try await pipeline.endOfStream() }
        end.cancel()
        await #expect(throws: CancellationError.self) { try await end.value }
        try await pipeline.set(.null)
    }

    @Test func stopByAnotherTaskEndsTheWait() async throws {
        let pipeline = try Pipeline("appsrc ! fakesink")
        let waits = [
            Task { try await pipeline.set(.paused) }, Task { try await pipeline.endOfStream() },
        ]
        let stopping = Task {
            while !Task.isCancelled {
                pipeline.element.setState(.paused)
                try await pipeline.set(.null)
            }
        }
        for wait in waits { await #expect(throws: FlowResult.flushing) { try await wait.value } }
        stopping.cancel()
        _ = await stopping.result
    }

    @Test func errorBeforeAChangeIsThrownByIt() async throws {
        let pipeline = try Pipeline("fakesrc ! identity name=fault error-after=1 ! fakesink")
        await #expect(throws: PipelineError.self) { try await pipeline.set(.paused) }
        let error = await #expect(throws: PipelineError.self) { try await pipeline.set(.playing) }
        #expect(error?.source == "fault")
        try await pipeline.set(.null)
    }

    @Test func positionIsThatOfTheSeek() async throws {
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=100 ! video/x-raw,width=16,height=16,framerate=10/1 ! fakesink sync=true")
        try await pipeline.set(.paused)
        #expect(pipeline.position == .zero)
        try await pipeline.seek(to: .seconds(7))
        #expect(pipeline.position == .seconds(7))
        await #expect(throws: PipelineError.self) { try await pipeline.seek(to: .zero, rate: 0) }
        try await pipeline.set(.null)
        #expect(pipeline.position == nil)
    }

    @Test func seekWithoutPrerollReturns() async throws {
        let pipeline = try Pipeline("videotestsrc num-buffers=100 ! fakesink async=false")
        try await pipeline.set(.playing)
        try await pipeline.seek(to: .seconds(1))
        try await pipeline.seek(to: .seconds(2), rate: -1)
        try await pipeline.set(.null)
        await #expect(throws: PipelineError.self) { try await pipeline.seek(to: .zero) }
    }

    @Test func pipelineOfOneElementIsAPipeline() async throws {
        let pipeline = try Pipeline("fakesrc name=only num-buffers=1")
        #expect(pipeline.element.isBin)
        #expect(pipeline["only"]?.factory == "fakesrc")
        #expect(pipeline["other"] == nil)
        // playbin is a subclass of GstPipeline.
        #expect(try Pipeline("playbin name=player")["player"]?.factory == "playbin")
    }

    // MARK: Messages

    @Test func streamsOfMessagesGetAllOfThem() async throws {
        let pipeline = try Pipeline("videotestsrc num-buffers=2 ! identity ! fakesink silent=false")
        let streams = [pipeline.messages(), pipeline.messages()]
        try await pipeline.set(.playing)
        for stream in streams {
            var states: [ElementReference.State] = []
            messages: for await message in stream {
                switch message.contents {
                case .stateChanged(_, let state) where message.isFromPipeline: states.append(state)
                case .endOfStream: break messages
                default: break
                }
            }
            #expect(states == [.ready, .paused, .playing])
        }
        try await pipeline.set(.null)
    }

    @Test func streamEndsWithThePipeline() async throws {
        var pipeline: Pipeline? = try Pipeline("fakesrc ! fakesink")
        let stream = try #require(pipeline).messages()
        pipeline = nil
        for await _ in stream {}
    }

    @Test func elementMessagesAndTagsAreValues() async throws {
        let pipeline = try Pipeline(
            "audiotestsrc num-buffers=30 ! level interval=100000000 ! taginject tags=title=Tape ! fakesink")
        let stream = pipeline.messages()
        try await pipeline.set(.playing)
        var (levels, title) = (0, "")
        messages: for await message in stream {
            switch message.contents {
            case .element(let structure) where structure.name == "level":
                #expect(message.source?.hasPrefix("level") == true)
                levels += 1
            case .tags(let tags): if case .string(let text)? = tags[.title] { title = text }
            case .endOfStream: break messages
            default: break
            }
        }
        #expect(levels > 3)
        #expect(title == "Tape")
    }

    /// The last reference is released by a closure on the streaming thread.
    @Test func pipelineIsReleasedByItsStreamingThread() async throws {
        final class Owner: Sendable { let pipeline = Mutex<Pipeline?>(nil) }
        for _ in 0..<20 {
            let owner = Owner()
            let pipeline = try Pipeline("fakesrc num-buffers=100 ! fakesink name=sink signal-handoffs=true")
            let connection = try #require(
                pipeline["sink"].flatMap {
                    SignalConnection($0, "handoff") { _ in
                        owner.pipeline.withLock { $0 = nil }
                        return nil
                    }
                })
            let stream = pipeline.messages()
            owner.pipeline.withLock { $0 = pipeline }
            pipeline.element.setState(.playing)
            _ = consume pipeline
            for await _ in stream {}
            connection.disconnect()
        }
    }

    // MARK: Signals

    @Test func signalGivesArgumentsAndTakesAResult() async throws {
        initialize()
        let element = try #require(ElementReference(factory: "uridecodebin"))
        let connection = SignalConnection(element, "autoplug-continue") { arguments in
            if case .caps(let caps)? = arguments[1] { .bool(caps.description.hasPrefix("video")) } else { .bool(false) }
        }
        #expect(connection != nil)
        #expect(SignalConnection(element, "no-such-signal") { _ in nil } == nil)
        #expect(element.emit("no-such-signal") == nil)
        #expect(element.emit("try-pull-sample", .uint64(0)) == nil)
    }

    @Test func closureOfASignalIsReleasedWithItsConnectionOrItsElement() throws {
        initialize()
        final class Token: Sendable {}
        for disconnects in [true, false] {
            weak var weakToken: Token?
            var element = ElementReference(factory: "fakesink")
            do {
                let token = Token()
                weakToken = token
                let connection = SignalConnection(try #require(element), "handoff") { _ in
                    withExtendedLifetime(token) {}
                    return nil
                }
                if disconnects {
                    connection?.disconnect()
                    connection?.disconnect()
                } else {
                    // The connection does not keep the element.
                    element = nil
                    withExtendedLifetime(connection) {}
                }
            }
            #expect(weakToken == nil)
            element = nil
        }
    }
}
