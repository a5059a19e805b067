import CGStreamer
import GstTestSupport
import Testing

@testable import GStreamer

/// Tests the events that a source pushes and receives.
@Suite struct SourceEventTests {
    private let pipeline: Pipeline
    private let script: Script
    private let order: StreamOrder

    init() throws {
        try #require(TestElements.areRegistered)
        pipeline = Pipeline("swifttestscripted name=source ! fakesink name=sink sync=false")
        let source = InstanceSlot.peek(pipeline.element("source")) as? ElementInstance<ScriptedSource>
        script = try #require(source).element.report
        order = StreamOrder(pipeline, "sink")
    }

    @Test func sourcePushesEventsOfCreateInTheirOrder() throws {
        script.add { host in
            let caps = Caps("application/x-letters")?.setting("streamheader", to: .array([.bytes([7, 8])]))
            if let caps { #expect(host.setSourceCaps(caps)) }
            #expect(host.pushSourceSegment())
            return nil
        }
        script.push { .gap(at: .zero, duration: .milliseconds(20)) }
        script.push { .tags(TagList([.title: .string("One")])) }
        script.buffer(1, pts: .milliseconds(20))
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        #expect(order.contains("buffer 1"))
        #expect(order.all == ["stream-start", "caps", "segment", "gap", "tag", "segment", "buffer 1"])
        let pad = ElementHost(unsafe: pipeline.element("sink")).pad("sink")
        #expect(pad?.currentCaps?.value("streamheader") == .array([.bytes([7, 8])]))
    }

    @Test func flushFromAnotherThreadDiscardsDataAndKeepsRunningTime() throws {
        script.buffer(1, pts: .seconds(3))
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        #expect(order.contains("buffer 1"))
        // The source waits in `create` now.
        for round in 1...20 {
            #expect(script.host.flushSource())
            script.buffer(2, pts: .seconds(4))
            #expect(order.contains("buffer 2", count: round))
        }
        let expected = ["flush-start", "flush-stop", "segment", "buffer 2"]
        #expect(order.all == ["stream-start", "segment", "buffer 1"] + (1...20).flatMap { _ in expected })
        let segment = try #require(sinkSegment)
        #expect(segment.runningTime(of: .seconds(4)) == .seconds(4))
    }

    @Test func flushCanResetRunningTime() {
        script.buffer(1, pts: .seconds(3))
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        #expect(order.contains("buffer 1"))
        #expect(script.host.flushSource(resetsTime: true))
        #expect(order.all.suffix(2) == ["flush-start", "reset"])
    }

    @Test func eventOfAnotherThreadPrecedesNextBuffer() throws {
        script.buffer(1)
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        #expect(order.contains("buffer 1"))
        let tags = try #require(gst_event_new_tag(TagList([.title: .string("Two")]).makeRaw()))
        let isQueued = script.host.pushWithNextBuffer(Event(taking: tags))
        #expect(isQueued)
        #expect(!order.all.contains("tag"))
        script.buffer(2)
        #expect(order.contains("buffer 2"))
        #expect(order.all.suffix(3) == ["buffer 1", "tag", "buffer 2"])
    }

    @Test func sourceReceivesConfiguredLatency() {
        pipeline.set("sync", to: "true", of: "sink")
        pipeline.set("processing-deadline", to: "0", of: "sink")
        script.buffer(1)
        #expect(pipeline.go(GST_STATE_PLAYING))
        script.latencies.withLock { $0 = [] }
        #expect(gst_bin_recalculate_latency(pipeline.bin) != 0)
        #expect(script.latencies.withLock { $0 } == [ScriptedSource.latency])
    }

    @Test func sourceReceivesDelayOfLateBuffers() throws {
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        let pad = ElementHost(unsafe: pipeline.element("sink")).pad("sink")
        let event = try #require(gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 1.5, 2_000_000, 40))
        let isHandled = pad?.push(Event(taking: event))
        #expect(isHandled == true)
        #expect(script.delays.withLock { $0 } == [.milliseconds(2)])
    }

    /// GstBaseSrc of 1.26 unlocks `create` in the change to PAUSED.
    @Test func streamContinuesAfterEachPause() {
        for round in 1...100 {
            gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
            script.buffer(1)
            #expect(order.contains("buffer 1", count: round))
            gst_element_set_state(pipeline.raw, GST_STATE_PAUSED)
        }
    }

    @Test func newStreamHasAnIdentifierAndAGroup() {
        let group = Event.newGroup()
        let stream = Event.streamStart("second", group: group)?.stream
        #expect(stream?.identifier == "second" && stream?.group == group)
        let alone = Event.streamStart("third")?.stream
        #expect(alone?.identifier == "third" && alone?.group == nil)
        #expect(Event.newGroup() != group)
    }

    @Test func pipelineSelectsProvidedClockAndForwardsItsLoss() throws {
        let own = try #require(OwnClock(HeldClock.self, name: "held"))
        #expect(selectedClock != "held")
        script.clock.withLock { $0 = own.reference }
        script.host.postClockProvided(own.reference)
        #expect(selectedClock == "held")
        #expect(script.host.retained()?.provideClock()?.identity == own.reference.identity)
        script.clock.withLock { $0 = nil }
        script.host.postClockLost(own.reference)
        let bus = try #require(gst_element_get_bus(pipeline.raw))
        defer { gst_object_unref(bus) }
        let lost = try #require(gst_bus_pop_filtered(bus, GST_MESSAGE_CLOCK_LOST))
        gst_message_unref(lost)
        #expect(selectedClock != "held")
    }

    /// The name of the clock that the pipeline selects when it changes to PLAYING.
    private var selectedClock: String? {
        gst_element_set_state(pipeline.raw, GST_STATE_PAUSED)
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        // GstBaseSrc of 1.26 discards a buffer that a live source creates in PAUSED.
        script.buffer(0)
        #expect(pipeline.go(GST_STATE_PLAYING))
        return ElementHost(unsafe: pipeline.raw).clock?.name
    }

    private var sinkSegment: Segment? {
        guard let pad = gst_element_get_static_pad(pipeline.element("sink"), "sink") else { return nil }
        defer { gst_object_unref(pad) }
        guard let event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0) else { return nil }
        return Event(taking: event).segment
    }
}
