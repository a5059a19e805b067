import CGStreamer
import GStreamer
import GstTestSupport
import Synchronization
import Testing

/// Tests aggregators with the element `swifttestmixer`, which shows each input as one row of its output.
@Suite struct AggregatorTests {
    private static let caps = "video/x-raw,format=GRAY8,width=4,height=4,framerate=30/1"

    init() throws { try #require(TestElements.areRegistered) }

    /// A mixer in PLAYING with the pads `sink_0` and `sink_1`.
    private final class Rig {
        let first, second: Harness
        let element: RawElement

        init(_ other: String = AggregatorTests.caps) throws {
            first = try #require(Harness("swifttestmixer", sink: "sink_0", caps: AggregatorTests.caps))
            second = try #require(Harness(first.element, sink: "sink_1", source: nil, caps: other))
            element = first.element.withUnsafePointer { $0 }
        }

        func set(_ property: String, to value: String) {
            var (target, spec): (UnsafeMutablePointer<GObject>?, UnsafeMutablePointer<GParamSpec>?)
            let proxy = OpaquePointer(element)
            guard gst_child_proxy_lookup(proxy, property, &target, &spec) != 0, let target, let spec else {
                Issue.record("there is no property \(property)")
                return
            }
            gst_util_set_object_arg(target, spec.pointee.name, value)
            g_object_unref(target)
        }

        /// The first byte of each row of the next output, after both pads have received a frame.
        func rows(_ one: RawBuffer, _ other: RawBuffer) -> [UInt8] {
            #expect(first.push(one) == GST_FLOW_OK && second.push(other) == GST_FLOW_OK)
            guard let output = first.waitForBuffer()?.bytes else { return [] }
            return stride(from: 0, to: 16, by: 4).map { output[$0] }
        }
    }

    /// Frame `number` of a stream, with all bytes of one value.
    private func frame(_ number: Int, _ byte: UInt8, count: Int = 16) -> RawBuffer {
        let buffer = newBuffer([UInt8](repeating: byte, count: count), pts: UInt64(number) * 33_333_333)
        buffer.pointee.duration = 33_333_333
        return buffer
    }

    // MARK: Frames

    @Test func inputsAreInTheOrderOfZorder() throws {
        let rig = try Rig()
        #expect(rig.rows(frame(0, 10), frame(0, 20)) == [10, 20, 255, 255])
        #expect(rig.rows(frame(1, 30), frame(1, 40)) == [30, 40, 255, 255])
        rig.set("sink_0::zorder", to: "9")
        #expect(rig.rows(frame(2, 50), frame(2, 60)) == [60, 50, 255, 255])
    }

    @Test func settingsBelongToTheirPad() throws {
        let rig = try Rig()
        rig.set("sink_1::gain", to: "3")
        #expect(rig.rows(frame(0, 10), frame(0, 20)) == [10, 60, 255, 255])
    }

    @Test func framesHaveFormatAndSizeOfTheOutput() throws {
        let rig = try Rig("video/x-raw,format=BGRx,width=2,height=2,framerate=30/1")
        // Grey of BGRx has another code in GRAY8; without a frame, the row would be 255.
        let rows = rig.rows(frame(0, 10), frame(0, 100))
        #expect(rows[0] == 10 && (90...110).contains(rows[1]), "\(rows)")
    }

    @Test func padWithoutAFrameHasNone() throws {
        let rig = try Rig()
        let gap = frame(0, 10)
        gst_buffer_resize(gap, 0, 0)
        gst_buffer_set_flags(gap, GST_BUFFER_FLAG_GAP)
        #expect(rig.rows(gap, frame(0, 20)) == [255, 20, 255, 255])
    }

    @Test(arguments: [(0, Int32(24)), (1, 4), (0, -4), (0, .max), (12, .min)])
    func videoMetaBeyondMemoryIsRejected(offset: Int, stride: Int32) throws {
        let rig = try Rig()
        let bad = frame(0, 10)
        describe(bad, GST_VIDEO_FORMAT_GRAY8, height: 4, offset: offset, stride: stride)
        #expect(rig.rows(bad, frame(0, 20)) == [255, 20, 255, 255])
    }

    @Test func flushOfASeekIsNotifiedOnce() {
        let pipeline = Pipeline(
            "swifttestmixer name=mixer ! fakesink videotestsrc ! \(Self.caps) ! mixer. videotestsrc ! \(Self.caps) ! mixer."
        )
        #expect(pipeline.go(GST_STATE_PLAYING))
        for position in [gint64(0), 1_000_000_000] {
            #expect(pipeline.elementMessages() == [])
            #expect(gst_element_seek_simple(pipeline.raw, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, position) != 0)
            #expect(pipeline.go(GST_STATE_PLAYING))
            #expect(pipeline.elementMessages() == ["flushed"])
        }
    }

    @Test func streamInBytesIsAnErrorAndNotAnAssertion() {
        let pipeline = Pipeline("appsrc format=bytes caps=\(Self.caps) name=source ! swifttestmixer ! fakesink")
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        let source = ElementReference(unsafe: pipeline.element("source"))
        #expect(source.emit("push-buffer", GStreamer.Buffer(unsafeTaking: frame(0, 10))) == .ok)
        #expect(pipeline.listen() == ["error: A stream has no times."])
    }

    /// `GstVideoAggregator` refuses the caps of the second pad, but gets a buffer of it.
    @Test(arguments: ["interleaved", "progressive"])
    func inputOfAnotherInterlaceModeIsAnErrorAndNotACrash(mode: String) {
        let other = mode == "progressive" ? "interleaved" : "progressive"
        let pipeline = Pipeline(
            "swifttestmixer name=mixer ! fakesink "
                + "videotestsrc ! \(Self.caps),interlace-mode=progressive ! capssetter caps=video/x-raw,interlace-mode=\(mode) ! mixer. "
                + "videotestsrc ! \(Self.caps),interlace-mode=progressive ! capssetter caps=video/x-raw,interlace-mode=\(other) ! mixer."
        )
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        #expect(
            pipeline.listen() == [
                "error: An input has another interlace mode than the output; put deinterlace before the pad."
            ])
    }

    // MARK: Pads

    /// The template of the sink pads lists no formats; that of the source pad lists one without alpha.
    @Test func padsAcceptAllFormatsWithoutAlpha() throws {
        let rig = try Rig()
        let pad = try #require(gst_element_get_static_pad(rig.element, "sink_0"))
        defer { gst_object_unref(pad) }
        func answer(_ filter: String) -> Caps? {
            let filter = gst_caps_from_string("video/x-raw\(filter)")
            defer { gst_caps_unref(filter) }
            let caps = gst_pad_query_caps(pad, filter)
            defer { gst_caps_unref(caps) }
            let text = gst_caps_to_string(caps)
            defer { g_free(text) }
            return text.flatMap { Caps(String(cString: $0)) }
        }
        for format in ["GRAY8", "I420", "NV12", "BGRx"] {
            #expect(answer(",format=\(format),width=7,height=5,framerate=1/1")?.isEmpty == false, "\(format)")
        }
        #expect(answer(",format=BGRA")?.isEmpty == true && answer("(memory:DMABuf)")?.isEmpty == true)
        // The format of the output comes first.
        #expect(answer("")?.value("format") == .string("GRAY8"))
    }

    @Test func formatIsConfiguredOnce() throws {
        let rig = try Rig()
        #expect(rig.rows(frame(0, 10), frame(0, 20)) == [10, 20, 255, 255])
        // A new pad makes GstAggregator negotiate again.
        let pad = try #require(gst_element_request_pad_simple(rig.element, "sink_%u"))
        gst_element_release_request_pad(rig.element, pad)
        gst_object_unref(pad)
        #expect(rig.rows(frame(1, 30), frame(1, 40)) == [30, 40, 255, 255])
        #expect(ElementReference(unsafe: rig.element).value("formats") == .uint(1))
    }

    @Test func padsAreChildrenOfTheElement() throws {
        let element = try #require(gst_element_factory_make("swifttestmixer", nil))
        gst_object_ref_sink(element)
        defer { gst_object_unref(element) }
        final class Names { var names: [String] = [] }
        let changes = Names()
        let note: @convention(c) (gpointer?, gpointer?, UnsafePointer<gchar>?, gpointer?) -> Void = {
            _, _, name, data in
            Unmanaged<Names>.fromOpaque(data!).takeUnretainedValue().names.append(String(cString: name!))
        }
        for signal in ["child-added", "child-removed"] {
            g_signal_connect_data(
                element, signal, unsafeBitCast(note, to: GCallback.self), Unmanaged.passUnretained(changes).toOpaque(),
                nil, GConnectFlags(rawValue: 0))
        }
        let pads = ["sink_%u", "sink_7", "sink_%u"].map { (name: String) in
            gst_element_request_pad_simple(element, name)!
        }
        let proxy = OpaquePointer(element)
        #expect(gst_child_proxy_get_children_count(proxy) == 3)
        #expect(gst_child_proxy_get_child_by_index(proxy, 3) == nil)
        let child = try #require(gst_child_proxy_get_child_by_name(proxy, "sink_7"))
        #expect(UnsafeMutableRawPointer(child) == UnsafeMutableRawPointer(pads[1]))
        g_object_unref(child)
        for pad in pads {
            gst_element_release_request_pad(element, pad)
            gst_object_unref(pad)
        }
        #expect(changes.names == ["sink_0", "sink_7", "sink_8", "sink_0", "sink_7", "sink_8"])
        #expect(gst_child_proxy_get_children_count(proxy) == 0)
    }

    @Test func padsMayComeAndGoWhileFramesFlow() throws {
        let pipeline = Pipeline(
            "swifttestmixer name=mixer ! fakesink videotestsrc ! \(Self.caps) ! mixer. videotestsrc ! \(Self.caps) ! mixer."
        )
        #expect(pipeline.go(GST_STATE_PLAYING))
        let mixer = pipeline.element("mixer")
        for _ in 0..<200 {
            let pad = try #require(gst_element_request_pad_simple(mixer, "sink_%u"))
            gst_util_set_object_arg(UnsafeMutableRawPointer(pad).assumingMemoryBound(to: GObject.self), "zorder", "0")
            gst_element_release_request_pad(mixer, pad)
            gst_object_unref(pad)
        }
        #expect(pipeline.go(GST_STATE_NULL))
    }
}
