import CGStreamer
import GstTestSupport
import Testing

@testable import GStreamer

/// Tests bins that link a pad when it is added, `GstStreamVolume`, and action signals.
@Suite struct PlayerTests {
    init() throws { try #require(TestElements.areRegistered) }

    // MARK: Bins

    @Test func binLinksPadThatIsAddedLater() {
        let pipeline = Pipeline("swifttestnumbers count=5 ! swifttestplayer name=player")
        #expect(pipeline.playToTheEnd() == GST_MESSAGE_EOS)
        #expect(pipeline.get("sum", of: "player") == "10")
    }

    @Test func linkedPadCannotBeLinkedAgain() throws {
        let source = try #require(ElementReference(factory: "swifttestnumbers"))
        let sinks = try (1...2).map { _ in try #require(ElementReference(factory: "swifttestsum")) }
        let pads = sinks.compactMap(Self.sinkPad)
        let output = source.pad("src")
        let isLinked = pads.map { output?.link(to: $0.pad) }
        #expect(isLinked == [true, false])
        source.unlink(from: sinks[0])
        let isLinkedAgain = output?.link(to: pads[1].pad)
        #expect(isLinkedAgain == true && pads.map { $0.pad.isLinked } == [false, true])
    }

    private static func sinkPad(of element: ElementReference) -> PadReference? {
        guard let pad = element.pad("sink") else { return nil }
        return PadReference(pad)
    }

    @Test func lockedElementKeepsItsState() throws {
        let pipeline = Pipeline("swifttestnumbers ! swifttestwrapper name=bin ! swifttestsum")
        let inside = ElementReference(pipeline.element("inside"))
        inside.isStateLocked = true
        #expect(pipeline.go(GST_STATE_READY))
        #expect(inside.isStateLocked && state(of: inside) == GST_STATE_NULL)
        #expect(inside.syncStateWithParent() && state(of: inside) == GST_STATE_READY)
        #expect(inside.setState(.null) == .success && state(of: inside) == GST_STATE_NULL)
        inside.isStateLocked = false
        #expect(pipeline.go(GST_STATE_NULL) && pipeline.go(GST_STATE_READY))
        #expect(state(of: inside) == GST_STATE_READY)
    }

    @Test func messageNamesTheElementThatPostedIt() throws {
        let pipeline = Pipeline("swifttestnumbers ! swifttestwrapper name=bin ! swifttestsum")
        let (inside, bin) = (ElementReference(pipeline.element("inside")), ElementReference(pipeline.element("bin")))
        let raw = try #require(
            gst_message_new_eos(UnsafeMutableRawPointer(inside.raw).assumingMemoryBound(to: GstObject.self)))
        let message = Message(taking: raw)
        let (name, isInside, isBin) = (message.sourceName, message.isFrom(inside), message.isFrom(bin))
        #expect(name == "inside" && isInside && !isBin)
    }

    private func state(of element: ElementReference) -> GstState { element.raw.pointee.current_state }

    // MARK: Interfaces

    @Test func volumeIsAnInterface() {
        let player = TestElement("swifttestplayer")
        #expect(g_type_is_a(cgst_type_of_instance(player.element), gst_stream_volume_get_type()) != 0)
        player.set("volume", "0.25")
        player.set("mute", "true")
        #expect(player.number("volume") == 0.25 && player.get("mute") == "true")
        gst_stream_volume_set_volume(OpaquePointer(player.element), GST_STREAM_VOLUME_FORMAT_LINEAR, 0.5)
        #expect(player.number("volume") == 0.5)
    }

    // MARK: Action signals

    @Test func actionReceivesArgumentsAndReturnsItsResult() throws {
        let element = TestElement("swifttestplayer")
        let player = try #require((InstanceSlot.peek(element.element) as? ElementInstance<Player>)?.element)
        #expect(emit("seek", on: element, [.uint64(7), .string("key")]) == .bool(true))
        #expect(emit("seek", on: element, [.uint64(700), nil]) == .bool(false))
        #expect(emit("stop", on: element, []) == nil)
        #expect(player.host.emit(Player.seek, .uint64(9), .string("")) == .bool(true))
        #expect(player.sought.withLock { $0 } == ["7 key", "700 \"\"", "stop", "9 \"\""])
        var query = GSignalQuery()
        g_signal_query(g_signal_lookup("seek", cgst_type_of_instance(element.element)), &query)
        #expect(query.signal_flags.rawValue & cgst_signal_action().rawValue != 0)
    }

    /// Emits a signal as applications do; a nil argument becomes a string that is NULL.
    private func emit(_ name: String, on element: TestElement, _ arguments: [Structure.Value?]) -> Structure.Value? {
        let type = cgst_type_of_instance(element.element)
        var query = GSignalQuery()
        g_signal_query(g_signal_lookup(name, type), &query)
        var values = [GValue()]
        g_value_init(&values[0], type)
        g_value_set_object(&values[0], element.element)
        for argument in arguments {
            var value = argument?.makeValue() ?? GValue()
            if argument == nil { g_value_init(&value, cgst_type_string()) }
            values.append(value)
        }
        defer { for index in values.indices { g_value_unset(&values[index]) } }
        guard query.return_type != cgst_type_none() else {
            g_signal_emitv(&values, query.signal_id, 0, nil)
            return nil
        }
        var result = GValue()
        g_value_init(&result, query.return_type)
        defer { g_value_unset(&result) }
        g_signal_emitv(&values, query.signal_id, 0, &result)
        return Structure.Value(&result)
    }
}
