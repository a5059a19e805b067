import CGStreamer
import GStreamer
import GstTestSupport
import Testing

@Suite struct PassthroughTests {
    @Test func disabledFilterPassesSameBufferUnchanged() throws {
        let subject = Subject()
        subject.set("enabled", "false")
        let harness = makeHarness(subject)
        let input = harness.frame()
        gst_buffer_ref(input)
        harness.push(input)
        let output = try #require(harness.pullRaw())
        #expect(output == input)
        #expect(subject.get("frames") == "0")
        gst_buffer_unref(output)
        gst_buffer_unref(input)
    }

    @Test func passthroughSwitchesWhilePlaying() {
        let harness = makeHarness()
        var bytes: [UInt8?] = []
        for isOn in [true, false, false, true, false, true] {
            harness.subject.set("enabled", isOn ? "true" : "false")
            bytes.append(harness.firstByteAfterPassing())
        }
        #expect(bytes == [63, 0, 0, 63, 0, 63])
        #expect(gst_base_transform_is_passthrough(transform(harness)) == 0)
    }

    @Test func sharedFrameIsCopiedBeforeChange() throws {
        let subject = Subject()
        subject.set("enabled", "false")
        let harness = makeHarness(subject)
        #expect(harness.firstByteAfterPassing() == 0)
        subject.set("enabled", "true")
        let input = harness.frame()
        gst_buffer_ref(input)
        harness.push(input)
        let output = try #require(harness.pullRaw())
        #expect(output != input)
        #expect(firstByte(of: output) == 63)
        #expect(firstByte(of: input) == 0)
        gst_buffer_unref(output)
        gst_buffer_unref(input)
    }

    @Test func writableFrameIsChangedInPlace() throws {
        let harness = makeHarness()
        let input = harness.frame()
        harness.push(input)
        let output = try #require(harness.pullRaw())
        #expect(output == input)
        gst_buffer_unref(output)
    }

    @Test func formatNegotiatedWhileDisabledIsUsedWhenEnabled() {
        let subject = Subject()
        subject.set("enabled", "false")
        let harness = makeHarness(subject)
        harness.push(harness.frame())
        gst_buffer_unref(harness.pullRaw())
        #expect(harness.offer("video/x-raw,format=RGB,width=8,height=1,framerate=30/1"))
        subject.set("enabled", "true")
        #expect(harness.firstByteAfterPassing() == 63)
        #expect(EveryKindFilter.newest.withLock { $0[subject.name]?.width } == 8)
    }

    private func transform(_ harness: Harness) -> UnsafeMutablePointer<GstBaseTransform> {
        UnsafeMutableRawPointer(harness.subject.element).assumingMemoryBound(to: GstBaseTransform.self)
    }

    private func firstByte(of buffer: RawBuffer) -> UInt8 {
        var byte: UInt8 = 0
        gst_buffer_extract(buffer, 0, &byte, 1)
        return byte
    }
}
