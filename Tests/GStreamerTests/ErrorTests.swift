import CGStreamer
import GStreamer
import GstTestSupport
import Testing

@Suite struct ErrorTests {
    @Test func processFailurePostsError() {
        let harness = makeHarness()
        harness.subject.set("trouble", "4")
        #expect(harness.push(harness.frame()) == GST_FLOW_ERROR)
        #expect(
            harness.subject.messages() == [
                PostedMessage(type: "error", text: "the tape is torn", debug: "glue it", code: 1)
            ])
    }

    @Test(arguments: [("5", GST_FLOW_EOS), ("6", GST_FLOW_FLUSHING)])
    func processCanStopStreamWithoutMessage(trouble: String, flow: GstFlowReturn) {
        let harness = makeHarness()
        harness.subject.set("trouble", trouble)
        #expect(harness.push(harness.frame()) == flow)
        #expect(harness.subject.messages() == [])
    }

    @Test func streamContinuesAfterProcessSucceedsAgain() {
        let harness = makeHarness()
        harness.subject.set("trouble", "4")
        harness.push(harness.frame())
        harness.subject.set("trouble", "0")
        #expect(harness.firstByteAfterPassing() == 63)
    }

    @Test func configureFailurePostsError() {
        let subject = Subject()
        subject.set("trouble", "2")
        let harness = makeHarness(subject)
        #expect(harness.push(harness.frame()) == GST_FLOW_NOT_NEGOTIATED)
        #expect(subject.messages().first { $0.type == "error" }?.text == "BGRx is too odd")
    }

    @Test func configureCanRefuseFormatWithoutMessage() {
        let subject = Subject()
        subject.set("trouble", "3")
        let harness = makeHarness(subject)
        #expect(harness.push(harness.frame()) == GST_FLOW_NOT_NEGOTIATED)
        #expect(subject.messages().filter { $0.type == "error" } == [])
    }

    @Test func startFailurePostsErrorAndFailsStateChange() {
        let subject = Subject()
        subject.set("trouble", "1")
        #expect(gst_element_set_state(subject.element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
        #expect(
            subject.messages() == [
                PostedMessage(
                    type: "error", text: "no tape", debug: "put one in",
                    code: Int32(GST_RESOURCE_ERROR_NOT_FOUND.rawValue))
            ])
        subject.set("trouble", "0")
        #expect(gst_element_set_state(subject.element, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE)
    }

    @Test func framesBeforeCapsAreRefused() {
        let harness = makeHarness(caps: nil)
        harness.begin(caps: nil)
        #expect(harness.push(harness.frame()) == GST_FLOW_NOT_NEGOTIATED)
    }

    @Test func undersizedFramesPassWithWarning() {
        let harness = makeHarness()
        #expect(harness.push(harness.frame(bytes: 3)) == GST_FLOW_OK)
        #expect(harness.subject.messages().map(\.type) == ["warning"])
    }

    @Test func stoppedElementCanRestart() {
        let harness = makeHarness()
        for _ in 0..<3 {
            gst_element_set_state(harness.subject.element, GST_STATE_NULL)
            gst_element_set_state(harness.subject.element, GST_STATE_PLAYING)
            harness.begin(caps: smallCaps)
            #expect(harness.firstByteAfterPassing() == 63)
        }
        #expect(harness.subject.get("frames") == "3")
    }
}
