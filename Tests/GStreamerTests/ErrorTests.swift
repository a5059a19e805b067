import CGStreamer
import CGStreamerCheck
import GStreamer
import Testing

@Suite struct ErrorTests {
    @Test func processCanFailWithAText() {
        let stream = Stream()
        stream.subject.set("trouble", "4")
        #expect(stream.push(stream.frame()) == GST_FLOW_ERROR)
        #expect(
            stream.subject.messages() == [
                Subject.Message(type: "error", text: "the tape is torn", debug: "glue it", code: 1)
            ])
    }

    @Test(arguments: [("5", GST_FLOW_EOS), ("6", GST_FLOW_FLUSHING)])
    func processCanEndTheStreamQuietly(trouble: String, flow: GstFlowReturn) {
        let stream = Stream()
        stream.subject.set("trouble", trouble)
        #expect(stream.push(stream.frame()) == flow)
        #expect(stream.subject.messages() == [])
    }

    @Test func theStreamGoesOnOnceTheTroubleIsGone() {
        let stream = Stream()
        stream.subject.set("trouble", "4")
        stream.push(stream.frame())
        stream.subject.set("trouble", "0")
        #expect(stream.firstByteAfterPassing() == 63)
    }

    @Test func configureCanRefuseAFormatWithAText() {
        let subject = Subject()
        subject.set("trouble", "2")
        let stream = Stream(subject)
        #expect(stream.push(stream.frame()) == GST_FLOW_NOT_NEGOTIATED)
        #expect(subject.messages().first { $0.type == "error" }?.text == "BGRx is too odd")
    }

    @Test func configureCanRefuseAFormatQuietly() {
        let subject = Subject()
        subject.set("trouble", "3")
        let stream = Stream(subject)
        #expect(stream.push(stream.frame()) == GST_FLOW_NOT_NEGOTIATED)
        #expect(subject.messages().filter { $0.type == "error" } == [])
    }

    @Test func startCanFailWithAText() {
        let subject = Subject()
        subject.set("trouble", "1")
        #expect(gst_element_set_state(subject.element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
        #expect(
            subject.messages() == [
                Subject.Message(
                    type: "error", text: "no tape", debug: "put one in",
                    code: Int32(GST_RESOURCE_ERROR_NOT_FOUND.rawValue))
            ])
        subject.set("trouble", "0")
        #expect(gst_element_set_state(subject.element, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE)
    }

    @Test func framesBeforeCapsAreRefused() {
        let stream = Stream(caps: nil)
        stream.begin(caps: nil)
        #expect(stream.push(stream.frame()) == GST_FLOW_NOT_NEGOTIATED)
    }

    @Test func framesTooSmallForTheirFormatPassWithAWarning() {
        let stream = Stream()
        #expect(stream.push(stream.frame(bytes: 3)) == GST_FLOW_OK)
        #expect(stream.subject.messages().map(\.type) == ["warning"])
    }

    @Test func aStoppedElementStartsAgain() {
        let stream = Stream()
        for _ in 0..<3 {
            gst_element_set_state(stream.subject.element, GST_STATE_NULL)
            gst_element_set_state(stream.subject.element, GST_STATE_PLAYING)
            stream.begin(caps: Stream.smallCaps)
            #expect(stream.firstByteAfterPassing() == 63)
        }
        #expect(stream.subject.get("frames") == "3")
    }
}
