import GStreamer
import Glibc
@testable import GStreamerApp
import Testing

@Suite(.serialized) struct ApplicationInterruptTests {
    /// A shell ignores SIGINT in the programs that it starts in the background.
    init() {
        for signal in [SIGINT, SIGTERM] { Glibc.signal(signal, SIG_DFL) }
    }

    /// The handler of a signal as a number, such as 0 for SIG_DFL and 1 for SIG_IGN.
    private func handler(_ signal: CInt) -> Int {
        var action = sigaction()
        sigaction(signal, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func signalEndsTheStreamsOfAllPipelinesThatWait(signal: CInt) async throws {
        let pipelines = [try Pipeline("fakesrc ! fakesink"), try Pipeline("fakesrc ! fakesink")]
        for pipeline in pipelines { try await pipeline.set(.playing) }
        let ends = pipelines.map { pipeline in Task { try await pipeline.endOfStream(sentAtInterrupt: true) } }
        while Interrupts.state.withLock({ $0.actions.count }) < 2 { await Task.yield() }
        kill(getpid(), signal)
        for end in ends { try await end.value }
        // The next signal would end this process.
        #expect(handler(SIGINT) == 0 && handler(SIGTERM) == 0)
        for pipeline in pipelines { try await pipeline.set(.null) }
    }

    /// The stream of a pipeline in NULL has no end.
    @Test func secondSignalHasItsFormerEffectAlthoughTheStreamHasNotEnded() async throws {
        let pipeline = try Pipeline("fakesrc ! fakesink")
        let end = Task { try await pipeline.endOfStream(sentAtInterrupt: true) }
        while Interrupts.state.withLock({ $0.actions.isEmpty }) { await Task.yield() }
        kill(getpid(), SIGINT)
        while Interrupts.state.withLock({ !$0.actions.isEmpty }) { await Task.yield() }
        #expect(handler(SIGINT) == 0 && handler(SIGTERM) == 0)
        end.cancel()
        await #expect(throws: (any Error).self) { try await end.value }
    }

    /// The sources of a pipeline in NULL cannot send EOS.
    @Test func signalBeforeTheStartEndsTheWaitWithAnError() async throws {
        let pipeline = try Pipeline("fakesrc ! fakesink")
        let end = Task { try await pipeline.endOfStream(sentAtInterrupt: true) }
        while Interrupts.state.withLock({ $0.actions.isEmpty }) { await Task.yield() }
        kill(getpid(), SIGINT)
        await #expect(throws: FlowResult.flushing) { try await end.value }
    }

    @Test func formerHandlersAreRestoredAfterTheLastWait() async throws {
        Glibc.signal(SIGTERM, SIG_IGN)
        defer { Glibc.signal(SIGTERM, SIG_DFL) }
        let pipelines = [try Pipeline("fakesrc ! fakesink"), try Pipeline("fakesrc num-buffers=1 ! fakesink")]
        let end = Task { try await pipelines[0].endOfStream(sentAtInterrupt: true) }
        while Interrupts.state.withLock({ $0.actions.isEmpty }) { await Task.yield() }
        try await pipelines[1].set(.playing)
        try await pipelines[1].endOfStream(sentAtInterrupt: true)
        #expect(handler(SIGINT) > 1 && handler(SIGTERM) == handler(SIGINT))
        end.cancel()
        await #expect(throws: CancellationError.self) { try await end.value }
        #expect(handler(SIGINT) == 0 && handler(SIGTERM) == 1)
        try await pipelines[1].set(.null)
    }

    /// A child does not have the thread that sends EOS.
    @Test func signalEndsAForkedChild() async throws {
        let pipeline = try Pipeline("fakesrc ! fakesink")
        let end = Task { try await pipeline.endOfStream(sentAtInterrupt: true) }
        while Interrupts.state.withLock({ $0.actions.isEmpty }) { await Task.yield() }
        // Swift does not import `fork`, because only functions such as those below may be called in a child of threads.
        let fork = unsafeBitCast(dlsym(nil, "fork"), to: (@convention(c) () -> pid_t).self)
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var none = sigset_t()
        sigemptyset(&none)
        let child = fork()
        if child == 0 {
            // The threads of Dispatch block signals.
            pthread_sigmask(SIG_SETMASK, &none, nil)
            alarm(60)
            close(ends[1])
            while true { pause() }
        }
        try #require(child > 0)
        close(ends[1])
        var byte: UInt8 = 0
        // The child has the other end until it is ready.
        #expect(read(ends[0], &byte, 1) == 0)
        close(ends[0])
        kill(child, SIGINT)
        var status: CInt = 0
        #expect(waitpid(child, &status, 0) == child && status & 0x7F == SIGINT)
        end.cancel()
        await #expect(throws: CancellationError.self) { try await end.value }
    }
}
