import CGStreamer
import GStreamer
import QueuePolicy
import Testing

@testable import BackpressureQueue

/// Warnings about `cpu-affinity` with processors that the machine does not have.
@Suite struct AffinityTests {
    /// Plays a pipeline to EOS and returns its warnings, each with its debug text.
    private func warnings(_ affinity: String) throws -> [String] {
        _ = Setup.once
        let line = "fakesrc num-buffers=5 ! backpressurequeue cpu-affinity=\(affinity) ! fakesink"
        let pipeline = try #require(gst_parse_launch(line, nil))
        gst_object_ref_sink(pipeline)
        let bus = gst_element_get_bus(pipeline)
        defer {
            gst_element_set_state(pipeline, GST_STATE_NULL)
            gst_object_unref(bus)
            gst_object_unref(pipeline)
        }
        gst_element_set_state(pipeline, GST_STATE_PLAYING)
        var warnings: [String] = []
        let types = GST_MESSAGE_EOS.rawValue | GST_MESSAGE_ERROR.rawValue | GST_MESSAGE_WARNING.rawValue
        while let message = gst_bus_timed_pop_filtered(bus, 10_000_000_000, GstMessageType(rawValue: types)) {
            defer { gst_message_unref(message) }
            #expect(message.pointee.type != GST_MESSAGE_ERROR)
            guard message.pointee.type == GST_MESSAGE_WARNING else { break }
            var (error, debug): (UnsafeMutablePointer<GError>?, UnsafeMutablePointer<gchar>?)
            gst_message_parse_warning(message, &error, &debug)
            if let error, let debug {
                warnings.append(String(cString: error.pointee.message) + " " + String(cString: debug))
            }
            g_error_free(error)
            g_free(debug)
        }
        return warnings
    }

    @Test(arguments: ["0", "performance", "\"\""])
    func existingProcessorsPostNoWarning(affinity: String) throws { #expect(try warnings(affinity) == []) }

    @Test func warningNamesMissingProcessorsAndFallback() throws {
        let online = ProcessorFiles.online()
        guard case .listed(let numbers) = ProcessorChoice(online) else {
            Issue.record("\(online)")
            return
        }
        let some = try warnings("0,1022-1023")
        #expect(some.count == 1, "\(some)")
        for word in [
            "cpu-affinity=0,1022-1023", "have: 1022-1023.", "It has \(ProcessorChoice.text(numbers)).", "on 0 only",
        ] {
            #expect(some.first?.contains(word) == true, "\(some)")
        }
        let none = try warnings("1023")
        #expect(none.count == 1 && none.first?.contains("on any of them") == true, "\(none)")
    }

    @Test func processorsAreListedWithoutSysfs() {
        #expect(ProcessorChoice(ProcessorFiles.online("/no-such-file")) == ProcessorChoice(ProcessorFiles.online()))
    }

    @Test func unreadableProcessorListIsEmpty() {
        #expect(ProcessorFiles.online("/no-such-file", statistics: "/no-such-file") == "")
    }
}
