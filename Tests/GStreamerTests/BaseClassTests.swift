import CGStreamer
import GstTestSupport
import Synchronization
import Testing

@testable import GStreamer

/// Tests the virtual methods of each base class.
@Suite struct BaseClassTests {
    init() throws { try #require(TestElements.areRegistered) }

    private func buffer(_ bytes: [UInt8]) -> UnsafeMutablePointer<GstBuffer> {
        let buffer = gst_buffer_new_allocate(nil, gsize(bytes.count), nil)!
        gst_buffer_fill(buffer, 0, bytes, gsize(bytes.count))
        return buffer
    }

    /// Plays `line` until a message EOS or ERROR, and returns the type of this message.
    private func play(_ line: String) -> (end: GstMessageType, pipeline: Pipeline) {
        let pipeline = Pipeline(line)
        return (pipeline.playToTheEnd(), pipeline)
    }

    // MARK: Sources, sinks and transforms

    @Test func sourcePushesBuffersUntilEOSAndSinkRendersThem() {
        let (end, pipeline) = play("swifttestnumbers count=5 ! swifttestsum name=sum")
        #expect(end == GST_MESSAGE_EOS)
        #expect(pipeline.get("sum", of: "sum") == "10")
        #expect(pipeline.get("end", of: "sum") == "200000000")
        #expect(pipeline.get("is-over", of: "sum") == "true")
    }

    @Test func sourceContinuesAtTheTimeOfASeek() {
        let pipeline = Pipeline("swifttestnumbers count=5 ! swifttestsum name=sum")
        #expect(pipeline.go(GST_STATE_PAUSED))
        let flags = GstSeekFlags(rawValue: GST_SEEK_FLAG_FLUSH.rawValue | GST_SEEK_FLAG_ACCURATE.rawValue)
        let reversed = gst_element_seek(
            pipeline.raw, -1, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, 80_000_000)
        #expect(reversed == 0)
        #expect(gst_element_seek_simple(pipeline.raw, GST_FORMAT_TIME, flags, 80_000_000) != 0)
        #expect(pipeline.playToTheEnd() == GST_MESSAGE_EOS)
        #expect(pipeline.get("sum", of: "sum") == "9")
    }

    @Test func reverseSeekIsRefusedWithoutAFlush() throws {
        let harness = try #require(Harness(NumberSource.factoryName, sink: nil))
        for number: UInt8 in 0..<3 { #expect(harness.waitForBuffer()?.bytes == [number]) }
        for isOfElement in [true, false] {
            let seek = gst_event_new_seek(
                -1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, 80_000_000)!
            let isDone =
                isOfElement ? harness.element.send(Event(taking: seek)) : harness.pushUpstream(Event(taking: seek))
            #expect(!isDone)
        }
        var kinds: [Event.Kind] = []
        while let event = harness.pullEvent() { kinds.append(event.kind) }
        #expect(!kinds.contains(.flushStart) && kinds.contains(.segment))
    }

    @Test func seekRelativeToTheEndUsesTheDuration() {
        let pipeline = Pipeline("swifttestnumbers count=5 ! swifttestsum name=sum")
        #expect(pipeline.go(GST_STATE_PAUSED))
        let isDone = gst_element_seek(
            pipeline.raw, 1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_END, -40_000_000, GST_SEEK_TYPE_NONE, 0
        )
        #expect(isDone != 0)
        #expect(pipeline.playToTheEnd() == GST_MESSAGE_EOS)
        #expect(pipeline.get("sum", of: "sum") == "4")
    }

    @Test func durationIsThatOfTheSettings() {
        let pipeline = Pipeline("swifttestnumbers count=5 ! swifttestsum")
        #expect(pipeline.go(GST_STATE_PAUSED))
        var duration: gint64 = 0
        let isKnown = gst_element_query_duration(pipeline.raw, GST_FORMAT_TIME, &duration) != 0
        #expect(isKnown && duration == 200_000_000)
    }

    @Test func transformDropsAndChangesBuffersInPlace() {
        // The filter drops 0 and changes 1, 2 and 3 to 2, 3 and 4. It must copy the buffers, which the tee shares.
        let (end, pipeline) = play(
            "swifttestnumbers count=4 ! tee name=t ! queue ! swifttestincrement ! swifttestsum name=changed "
                + "t. ! queue ! swifttestsum name=original")
        #expect(end == GST_MESSAGE_EOS)
        #expect(pipeline.get("sum", of: "changed") == "9")
        #expect(pipeline.get("sum", of: "original") == "6")
    }

    @Test func waitingSourceReturnsWhenPipelineStops() throws {
        let pipeline = Pipeline("swifttestnumbers waits=true name=source ! swifttestsum")
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        let source = try #require(NumberSource.report(of: pipeline.element("source")))
        #expect(eventually { source.waiting.load(ordering: .relaxed) })
        nonisolated(unsafe) let raw = pipeline.raw
        let result = Mutex<GstStateChangeReturn?>(nil)
        let stop = TestThread {
            let answer = gst_element_set_state(raw, GST_STATE_NULL)
            result.withLock { $0 = answer }
        }
        if !eventually({ result.withLock { $0 != nil } }) {
            Issue.record("the source is still waiting")
            source.set(true)
        }
        stop.join()
        #expect(result.withLock { $0 } == GST_STATE_CHANGE_SUCCESS)
    }

    @Test func sourceReceivesValuesThatChangeWhileItStreams() throws {
        let pipeline = Pipeline("swifttestnumbers count=4000000000 name=source ! swifttestsum name=sum")
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        let source = try #require(NumberSource.report(of: pipeline.element("source")))
        #expect(eventually { pipeline.get("sum", of: "sum") != "0" })
        pipeline.set("waits", to: "true", of: "source")
        #expect(eventually { source.waiting.load(ordering: .relaxed) })
        #expect(pipeline.go(GST_STATE_NULL))
    }

    // MARK: Pads

    @Test func addsRequestPadsAndSometimesPads() throws {
        let harness = try #require(Harness("swifttestsplitter", source: "src_%u", caps: "application/x-numbers"))
        let element = harness.element.withUnsafePointer { $0 }
        #expect(element.pointee.numsrcpads == 1)
        #expect(harness.push(buffer([7])) == GST_FLOW_OK)
        #expect(element.pointee.numsrcpads == 2)
        #expect(ElementHost(unsafe: element).pad("extra")?.name == "extra")
        #expect(harness.waitForBuffer()?.bytes.count == 1)
        let requested = try #require(gst_element_request_pad_simple(element, "src_%u"))
        #expect(element.pointee.numsrcpads == 3)
        gst_element_release_request_pad(element, requested)
        gst_object_unref(requested)
        #expect(element.pointee.numsrcpads == 2)
    }

    // MARK: Signals

    @Test func signalsPassArgumentsAndUseFirstResult() throws {
        final class Calls {
            var numbers: [guint] = []
            var pads: [String] = []
            var mayPassCount = 0
        }
        let calls = Calls()
        let harness = try #require(Harness("swifttestsplitter", source: "src_%u", caps: "application/x-numbers"))
        let element = harness.element.withUnsafePointer { $0 }
        let data = Unmanaged.passUnretained(calls).toOpaque()
        let passed: @convention(c) (gpointer?, guint, UnsafePointer<gchar>?, gpointer?) -> Void = {
            _, number, pad, data in
            let calls = Unmanaged<Calls>.fromOpaque(data!).takeUnretainedValue()
            calls.numbers.append(number)
            calls.pads.append(String(cString: pad!))
        }
        let mayPass: @convention(c) (gpointer?, guint, gpointer?) -> gboolean = { _, number, data in
            Unmanaged<Calls>.fromOpaque(data!).takeUnretainedValue().mayPassCount += 1
            return number == 2 ? 0 : 1
        }
        g_signal_connect_data(
            element, "passed", unsafeBitCast(passed, to: GCallback.self), data, nil, GConnectFlags(rawValue: 0))
        for _ in 0..<2 {
            g_signal_connect_data(
                element, "may-pass", unsafeBitCast(mayPass, to: GCallback.self), data, nil, GConnectFlags(rawValue: 0))
        }
        for number in 1...3 { #expect(harness.push(buffer([UInt8(number)])) == GST_FLOW_OK) }
        #expect(calls.numbers == [1, 3])
        #expect(calls.pads == ["sink", "sink"])
        #expect(calls.mayPassCount == 3)
    }

    // MARK: Bins

    @Test func ghostPadsPassDataThroughBin() {
        let (end, pipeline) = play("swifttestnumbers count=3 ! swifttestwrapper ! swifttestsum name=sum")
        #expect(end == GST_MESSAGE_EOS)
        #expect(pipeline.get("sum", of: "sum") == "3")
    }

    @Test(arguments: [("swift-private", false), ("swift-public", true)])
    func binForwardsOnlyMessagesThatItDoesNotHandle(name: String, isForwarded: Bool) throws {
        let pipeline = Pipeline("swifttestnumbers ! swifttestwrapper name=bin ! swifttestsum")
        let inside = try #require(gst_bin_get_by_name(pipeline.bin, "inside"))
        defer { gst_object_unref(inside) }
        ElementHost(unsafe: inside).post(Structure(name))
        #expect(pipeline.elementMessages() == (isForwarded ? [name] : []))
    }

    // MARK: Class data

    @Test func elementHasItsDeclaredRank() throws {
        let factory = try #require(gst_element_factory_find("swifttestsplitter"))
        defer { gst_object_unref(UnsafeMutableRawPointer(factory)) }
        #expect(gst_plugin_feature_get_rank(factory) == 128)
    }

    @Test func uriHandlerSetsProperty() throws {
        var failure: UnsafeMutablePointer<GError>?
        let element = try #require(gst_element_make_from_uri(GST_URI_SINK, "swifttest://there", nil, &failure))
        gst_object_ref_sink(element)
        defer { gst_object_unref(element) }
        let handler = OpaquePointer(element)
        let uri = try #require(gst_uri_handler_get_uri(handler))
        #expect(String(cString: uri) == "swifttest://there")
        g_free(uri)
        #expect(gst_uri_handler_get_uri_type(handler) == GST_URI_SINK)
    }

    // MARK: Clocks

    @Test func clockUsesInternalTimeAndCalibration() throws {
        let own = try #require(OwnClock(HeldClock.self, name: "held"))
        #expect(own.reference.time == .seconds(5))
        own.clock.move(.seconds(1))
        #expect(own.reference.time == .seconds(6))
        own.reference.calibrate(at: .seconds(6), to: .seconds(100), rate: 2)
        own.clock.move(.seconds(1))
        #expect(own.reference.time == .seconds(102))
        #expect(own.reference.internalTime == .seconds(7))
    }

    @Test func calibrationConvertsTimesOfAClock() throws {
        let own = try #require(OwnClock(HeldClock.self, name: "held"))
        own.reference.calibrate(at: .seconds(6), to: .seconds(100), rate: 1.0001)
        let calibration = own.reference.calibration
        #expect(calibration.internalTime == .seconds(6) && calibration.time == .seconds(100))
        #expect(calibration.time(atInternal: .seconds(16)) == .seconds(110) + .milliseconds(1))
        #expect(calibration.internalTime(at: .seconds(110) + .milliseconds(1)) == .seconds(16))
        own.clock.move(.seconds(11))
        #expect(own.reference.time == calibration.time(atInternal: .seconds(16)))
        #expect(own.reference.name == "held")
    }

    // MARK: Type data

    @Test func pluginIsRegisteredStaticallyOnce() {
        final class Calls: Sendable { let count = Atomic<Int>(0) }
        let calls = Calls()
        let plugin = PluginDefinition("swifttestonce", description: "For tests") { _ in
            calls.count.add(1, ordering: .relaxed)
            return true
        }
        for _ in 0..<3 { plugin.registerStatically() }
        #expect(calls.count.load(ordering: .relaxed) == 1)
    }

    @Test func typesOfOtherPluginsAreRejected() throws {
        let identity = try #require(gst_element_factory_make("identity", nil))
        gst_object_ref_sink(identity)
        defer { gst_object_unref(identity) }
        #expect(ObjectType.of(cgst_type_of_instance(identity)) == nil)
        #expect(ObjectType.instance(identity) == nil)
        let ours = g_type_from_name(Splitter.typeName)
        #expect(ObjectType.of(ours) != nil)
        // The bridge in another shared object has another name for its type data.
        g_type_set_qdata(cgst_type_of_instance(identity), g_quark_from_string("gst-swift-object-type-other"), identity)
        #expect(ObjectType.of(cgst_type_of_instance(identity)) == nil)
    }
}

extension NumberSource {
    static func report(of element: UnsafeMutablePointer<GstElement>) -> Gate? {
        (InstanceSlot.peek(element) as? ElementInstance<NumberSource>)?.store.report
    }
}
