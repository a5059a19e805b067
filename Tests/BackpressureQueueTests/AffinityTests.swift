import CGStreamer
import GstTestSupport
import GStreamer
import QueuePolicy
import Testing

@testable import BackpressureQueue

/// Warnings about `cpu-affinity` with processors that the machine does not have.
@Suite struct AffinityTests {
    /// Plays a pipeline to EOS and returns its warnings, each with its debug text.
    private func warnings(_ affinity: String) -> [String] {
        let pipeline = Pipeline("fakesrc num-buffers=5 ! backpressurequeue cpu-affinity=\(affinity) ! fakesink")
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        let posted = pipeline.listen(seconds: 20, details: true)
        #expect(posted.last == "eos", "\(posted)")
        return posted.filter { $0.hasPrefix("warning: ") }
    }

    @Test(arguments: ["0", "performance", "\"\""])
    func existingProcessorsPostNoWarning(affinity: String) { #expect(warnings(affinity) == []) }

    @Test func warningNamesMissingProcessorsAndFallback() {
        let online = ProcessorFiles.online()
        guard case .listed(let numbers) = ProcessorChoice(online) else {
            Issue.record("\(online)")
            return
        }
        let some = warnings("0,1022-1023")
        #expect(some.count == 1, "\(some)")
        for word in [
            "cpu-affinity=0,1022-1023", "have: 1022-1023.", "It has \(ProcessorChoice.text(numbers)).", "on 0 only",
        ] {
            #expect(some.first?.contains(word) == true, "\(some)")
        }
        let none = warnings("1023")
        #expect(none.count == 1 && none.first?.contains("on any of them") == true, "\(none)")
    }

    @Test func processorsAreListedWithoutSysfs() {
        #expect(ProcessorChoice(ProcessorFiles.online("/no-such-file")) == ProcessorChoice(ProcessorFiles.online()))
    }

    @Test func unreadableProcessorListIsEmpty() {
        #expect(ProcessorFiles.online("/no-such-file", statistics: "/no-such-file") == "")
    }
}
