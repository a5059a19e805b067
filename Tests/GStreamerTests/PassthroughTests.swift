import CGStreamer
import CGStreamerCheck
import GStreamer
import Testing

@Suite struct PassthroughTests {
    @Test func disabledHandsOnTheSameBufferUntouched() throws {
        let subject = Subject()
        subject.set("enabled", "false")
        let stream = Stream(subject)
        let input = stream.frame()
        gst_buffer_ref(input)
        stream.push(input)
        let output = try #require(stream.pull())
        #expect(output == input)
        #expect(subject.get("frames") == "0")
        gst_buffer_unref(output)
        gst_buffer_unref(input)
    }

    @Test func switchesWhilePlaying() {
        let stream = Stream()
        var bytes: [UInt8?] = []
        for isOn in [true, false, false, true, false, true] {
            stream.subject.set("enabled", isOn ? "true" : "false")
            bytes.append(stream.firstByteAfterPassing())
        }
        #expect(bytes == [63, 0, 0, 63, 0, 63])
        #expect(gst_base_transform_is_passthrough(transform(stream)) == 0)
    }

    @Test func aFrameSomeoneElseHoldsIsCopiedNotChanged() throws {
        let subject = Subject()
        subject.set("enabled", "false")
        let stream = Stream(subject)
        #expect(stream.firstByteAfterPassing() == 0)
        subject.set("enabled", "true")
        let input = stream.frame()
        gst_buffer_ref(input)
        stream.push(input)
        let output = try #require(stream.pull())
        #expect(output != input)
        #expect(firstByte(of: output) == 63)
        #expect(firstByte(of: input) == 0)
        gst_buffer_unref(output)
        gst_buffer_unref(input)
    }

    @Test func aWritableFrameIsChangedInPlace() throws {
        let stream = Stream()
        let input = stream.frame()
        stream.push(input)
        let output = try #require(stream.pull())
        #expect(output == input)
        gst_buffer_unref(output)
    }

    @Test func aFormatAgreedWhileDisabledServesOnceEnabled() {
        let subject = Subject()
        subject.set("enabled", "false")
        let stream = Stream(subject)
        stream.push(stream.frame())
        gst_buffer_unref(stream.pull())
        gst_harness_set_src_caps_str(stream.harness, "video/x-raw,format=RGB,width=8,height=1,framerate=30/1")
        subject.set("enabled", "true")
        #expect(stream.firstByteAfterPassing() == 63)
        #expect(EveryKindFilter.newest.withLock { $0[subject.name]?.width } == 8)
    }

    private func transform(_ stream: Stream) -> UnsafeMutablePointer<GstBaseTransform> {
        UnsafeMutableRawPointer(stream.subject.element).assumingMemoryBound(to: GstBaseTransform.self)
    }

    private func firstByte(of buffer: Buffer) -> UInt8 {
        var byte: UInt8 = 0
        gst_buffer_extract(buffer, 0, &byte, 1)
        return byte
    }
}
