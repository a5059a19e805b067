import CGStreamer
import GStreamer
import GstTestSupport
import Testing

/// Tests transforms with other caps on each side, with the element `swifttestflattener` from BGRx to GRAY8.
@Suite struct VideoTransformTests {
    private let harness: Harness

    init() throws {
        try #require(TestElements.areRegistered)
        harness = Harness(TestElement("swifttestflattener"))
    }

    private func outputCaps() -> Caps? { ElementHost(unsafe: harness.subject.element).pad("src")?.currentCaps }

    @Test func capsAreNegotiatedAndFixatedOnTheOtherSide() throws {
        harness.accept("video/x-raw,height=[2,5]")
        harness.begin(caps: smallCaps)
        let output = try #require(harness.play([UInt8](repeating: 7, count: 32), pts: 5))
        // 3 pixels, which are padded to 4, in 2 rows.
        #expect(output.count == 8 && output.prefix(3) == [7, 7, 7] && output[4..<7] == [7, 7, 7])
        let caps = outputCaps()
        #expect(caps?.value("format") == .string("GRAY8") && caps?.value("framerate") == .fraction(.init(30, 1)))
        #expect(caps?.value("width") == .int(3) && caps?.value("height") == .int(2))
    }

    @Test func capsQueryHasTheCapsOfDownstream() throws {
        harness.accept("video/x-raw,format=GRAY8,framerate=25/1")
        let pad = try #require(gst_element_get_static_pad(harness.subject.element, "sink"))
        defer { gst_object_unref(pad) }
        let filter = gst_caps_from_string("video/x-raw,width=8")
        defer { gst_caps_unref(filter) }
        let caps = try #require(gst_pad_query_caps(pad, filter))
        defer { gst_caps_unref(caps) }
        let expected = gst_caps_from_string("video/x-raw,format=BGRx,width=8,height=[1,max],framerate=25/1")
        defer { gst_caps_unref(expected) }
        #expect(gst_caps_is_equal(caps, expected) != 0)
    }

    @Test func otherCapsAreRefused() {
        harness.accept("video/x-raw,format=BGRx")
        harness.begin(caps: smallCaps)
        #expect(harness.push(harness.frame()) == GST_FLOW_NOT_NEGOTIATED)
    }

    @Test func flushIsNotifiedOnceBetweenTwoFrames() {
        harness.begin(caps: smallCaps)
        #expect(harness.push(harness.frame()) == GST_FLOW_OK && harness.subject.messages() == [])
        harness.flush()
        #expect(harness.subject.messages().map(\.text) == ["flushed;"])
        #expect(harness.push(harness.frame()) == GST_FLOW_OK && harness.subject.messages() == [])
    }

    /// A handler of a message may seek on the streaming thread, while the element is in use.
    @Test func flushDuringAFrameIsNotifiedAfterIt() throws {
        harness.begin(caps: smallCaps)
        let bus = try #require(gst_element_get_bus(harness.subject.element))
        defer {
            gst_bus_set_sync_handler(bus, nil, nil, nil)
            gst_object_unref(bus)
        }
        gst_bus_set_sync_handler(
            bus,
            { _, message, harness in
                guard gst_message_has_name(message, "white") != 0 else { return GST_BUS_PASS }
                Unmanaged<Harness>.fromOpaque(harness!).takeUnretainedValue().flush()
                return GST_BUS_PASS
            }, Unmanaged.passUnretained(harness).toOpaque(), nil)
        _ = harness.play([UInt8](repeating: 255, count: 32), pts: 0)
        #expect(harness.subject.messages().map(\.text) == ["white;", "flushed;"])
    }

    @Test(arguments: [(0, Int32(24)), (1, 16), (0, -16)])
    func videoMetaBeyondMemoryIsAnError(offset: Int, stride: Int32) {
        harness.begin(caps: smallCaps)
        let frame = harness.frame()
        describe(frame, offset: offset, stride: stride)
        #expect(harness.push(frame) == GST_FLOW_ERROR)
        #expect(harness.subject.messages().map(\.type) == ["error"])
    }
}
