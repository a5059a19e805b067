import CGStreamer
import GStreamer
import GStreamerTesting
import GstTestSupport
import Synchronization
import Testing

/// Tests the library with which other packages test their elements, with elements of GStreamer.
@Suite struct HarnessTests {
    private static let caps = "application/x-test"

    @Test func harnessIsNilWithoutTheElementItsPadsOrAProperty() {
        #expect(Harness("no-such-element") == nil)
        #expect(Harness("fakesrc") == nil)
        #expect(Harness("identity", ["no-such-property": "1"]) == nil)
        #expect(Harness("identity", ["sleep-time": "soup"]) == nil)
        #expect(Harness("fakesrc", sink: nil) != nil && Harness("fakesink", source: nil) != nil)
        #expect(Harness("funnel", sink: "sink_5") != nil)
        #expect(Harness("identity", caps: "a b") == nil && Harness("identity", accepting: "a b") == nil)
        #expect(Harness("fakesrc", sink: nil, caps: Self.caps) == nil && Harness("identity", sink: "src") == nil)
    }

    /// `filesrc` and `filesink` do not start without a file, and a sink with `async` waits for a buffer.
    @Test func harnessIsNilIfTheElementDoesNotStart() throws {
        let sink = try #require(ElementReference(factory: "filesink"))
        #expect(Harness(sink, source: nil) == nil && Harness("filesrc", sink: nil) == nil)
        #expect(sink.withUnsafePointer { $0.pointee.object.object.ref_count } == 1)
        #expect(Harness("fakesink", ["async": "true"], source: nil) == nil)
    }

    @Test func anElementMayHaveTwoHarnesses() throws {
        let leaks = try Harness.leaks(of: "tee", source: "src_%u", caps: Self.caps) { tee in
            let other = try #require(Harness(tee.element, sink: nil, source: "src_%u"))
            #expect(tee.play([1]) == [1] && other.pull()?.bytes == [1])
        }
        #expect(leaks == [])
    }

    @Test func elementPlaysUntilItsLastHarnessIsReleased() throws {
        let tee = try #require(ElementReference(factory: "tee"))
        var first = Harness(tee, source: "src_%u", caps: Self.caps)
        var second = Harness(tee, sink: nil, source: "src_%u")
        #expect(second != nil)
        second = nil
        #expect(tee.isActive && first?.play([1]) == [1])
        second = Harness(tee, sink: nil, source: "src_%u")
        first = nil
        #expect(tee.isActive && second != nil)
        second = nil
        #expect(!tee.isActive)
        #expect(tee.withUnsafePointer { $0.pointee.bus } == nil)
    }

    @Test func testElementThatDoesNotStartRefusesBuffers() {
        let subject = Subject()
        subject.set("trouble", "1")
        let harness = makeHarness(subject)
        #expect(harness.push(harness.frame()) == GST_FLOW_FLUSHING)
        #expect(subject.messages().map(\.text) == ["no tape"])
    }

    /// A second pad without data would make the element wait.
    @Test func templateGivesOnePad() throws {
        let harness = try #require(Harness("funnel", sink: "sink_%u", caps: Self.caps))
        #expect(harness.play([1]) == [1])
        #expect(harness.element.withUnsafePointer { $0.pointee.numsinkpads } == 1)
    }

    @Test func buffersAndEventsPassBothWays() throws {
        let harness = try #require(Harness("identity", caps: Self.caps))
        #expect(harness.play([1, 2, 3]) == [1, 2, 3])
        var buffer = Buffer([4])
        buffer.pts = .seconds(1)
        harness.push(buffer)
        let sample = try #require(harness.pull())
        #expect(sample.bytes == [4] && sample.buffer?.pts == .seconds(1) && sample.caps == Caps(Self.caps))
        #expect(harness.pull() == nil)
        var kinds: [Event.Kind] = []
        while let event = harness.pullEvent() { kinds.append(event.kind) }
        #expect(kinds == [.streamStart, .caps, .segment])
        harness.push(Event.endOfStream())
        #expect(harness.pullEvent()?.kind == .endOfStream)
        while harness.pullUpstreamEvent()?.kind != nil {}
        harness.pushUpstream(Event.reconfigure())
        #expect(harness.pullUpstreamEvent()?.kind == .reconfigure)
        #expect(harness.pullUpstreamEvent()?.kind == nil)
    }

    @Test func capsThatDownstreamDoesNotAcceptAreNotNegotiated() throws {
        let harness = try #require(Harness("capsfilter", accepting: "application/x-other"))
        harness.begin(caps: Self.caps)
        #expect(harness.push(Buffer([1])) == .notNegotiated)
    }

    @Test func buffersOfASourceAreAwaited() throws {
        let harness = try #require(
            Harness("fakesrc", ["num-buffers": "2", "sizetype": "2", "sizemax": "5"], sink: nil))
        #expect(harness.waitForBuffer()?.bytes.count == 5 && harness.waitForBuffer()?.bytes.count == 5)
        #expect(harness.pull() == nil)
    }

    @Test func errorsAreMessages() throws {
        let harness = try #require(Harness("identity", ["error-after": "1"], caps: Self.caps))
        #expect(harness.push(Buffer([1])) == .error)
        #expect(harness.messages().map(\.type) == ["error"] && harness.messages() == [])
    }

    @Test func sinkWaitsForTheTestClock() throws {
        let harness = try #require(Harness("fakesink", ["sync": "true"], source: nil, caps: Self.caps))
        let clock = TestClock(harness)
        let hasEnded = Mutex(false)
        let thread = TestThread {
            var buffer = Buffer([1])
            buffer.pts = .seconds(3)
            harness.push(buffer)
            hasEnded.withLock { $0 = true }
        }
        #expect(clock.crank() && clock.time == .seconds(3))
        thread.join()
        #expect(hasEnded.withLock { $0 })
        clock.advance(by: .seconds(-1))
        clock.advance(by: .seconds(2))
        #expect(clock.time == .seconds(5))
    }

    @Test func leakCheckFindsElementPadBufferAndEvent() throws {
        let none = Harness.leaks(of: "identity", caps: Self.caps) { harness in
            #expect(harness.play([1, 2, 3]) == [1, 2, 3])
            harness.pushUpstream(Event.reconfigure())
        }
        #expect(none == [])
        var kept: (harness: Harness?, buffer: UnsafeMutablePointer<GstBuffer>?)
        let leaks = Harness.leaks(of: "identity", ["name": "kept"], caps: Self.caps, within: .zero) { harness in
            harness.push(Buffer([1, 2, 3]))
            kept = (harness, harness.pull()?.buffer?.unsafeGive())
        }
        #expect(leaks == ["buffer of 3 bytes", "element kept", "pad sink of kept", "pad src of kept"])
        kept.harness = nil
        gst_buffer_unref(kept.buffer)
        #expect(Harness.leaks(of: "no-such-element") { _ in }.count == 1)
    }

    @Test func warningsOfGLibAreReturned() throws {
        let messages = loggedWarnings {
            withVaList([]) { g_logv("swifttest", cgst_log_level_warning(), "the tape is torn", $0) }
            withVaList([]) { g_logv("swifttest", cgst_log_level_debug(), "the tape is old", $0) }
        }
        // Another test may log a message meanwhile.
        #expect(messages.filter { $0.hasPrefix("swifttest") } == ["swifttest-WARNING: the tape is torn"])
        #expect(loggedWarnings {}.allSatisfy { !$0.hasPrefix("swifttest") })
    }

    @Test @MainActor func warningsOfAnAsynchronousBodyAreReturned() async {
        let messages = await loggedWarnings {
            await Task.detached {
                withVaList([]) { g_logv("swifttest2", cgst_log_level_warning(), "the tape is slow", $0) }
            }
            .value
            MainActor.assertIsolated()
        }
        #expect(messages.filter { $0.hasPrefix("swifttest2") } == ["swifttest2-WARNING: the tape is slow"])
    }

    @Test func eventuallyEndsAtTheLimit() {
        var calls = 0
        #expect(
            eventually(within: .seconds(900)) {
                calls += 1; return calls == 3
            })
        #expect(!eventually(within: .zero) { false })
        #expect(
            !remains {
                calls += 1; return calls < 5
            })
    }
}
