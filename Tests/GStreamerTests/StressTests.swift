import CGStreamer
import GStreamer
import GstTestSupport
import Synchronization
import Testing

@Suite struct StressTests {
    /// Sets properties on another thread while the filter processes frames.
    @Test func propertiesMayChangeWhileFramesFlow() {
        let harness = makeHarness()
        let fuzzer = Fuzzer(
            harness.subject,
            [
                ("enabled", ["true", "false"]), ("gain", ["0", "1", "0.3"]), ("mood", ["calm", "wild"]),
                ("parts", ["luma", "luma+chroma"]), ("label", ["a", "a text too long for a small string"]),
                ("recipe", ["0.5/1", "soup", "1/2"]), ("int64", ["0", "-1"]),
            ])
        fuzzer.whileRunning { flow(3000, through: harness) }
        #expect(harness.subject.messages().allSatisfy { $0.text == "\"soup\" is no recipe" })
    }

    @Test func passthroughMaySwitchWhileFramesFlow() {
        let harness = makeHarness()
        let fuzzer = Fuzzer(harness.subject, [("enabled", ["true", "false"])])
        fuzzer.whileRunning { flow(20_000, through: harness) }
        #expect(harness.subject.messages() == [])
    }

    /// GstBaseTransform reads its passthrough flag twice per buffer, and the test changes `enabled` between the reads.
    ///
    /// If the flag changed between the reads, the filter would write to a shared frame. The test changes `enabled` in a
    /// log function, when GstBaseTransform logs a line between the reads.
    @Test func passthroughMaySwitchDuringAFrame() {
        let harness = makeHarness()
        let flipper = Flipper(harness.subject)
        flipper.whileLogging { flow(50, through: harness) }
        #expect(flipper.flips == 50)
        #expect(harness.subject.messages() == [])
    }

    /// Pushes frames that also have another owner, so that the base class must copy each frame.
    private func flow(_ count: Int, through harness: Harness) {
        let input = harness.frame()
        for _ in 0..<count {
            gst_buffer_ref(input)
            guard harness.push(input) == GST_FLOW_OK, let output = harness.pullRaw() else {
                Issue.record("a frame was lost")
                break
            }
            gst_buffer_unref(output)
        }
        gst_buffer_unref(input)
    }
}

/// Sets properties on another thread.
private final class Fuzzer: Sendable {
    private let subject: TestElement
    private let choices: [(name: String, values: [String])]

    init(_ subject: TestElement, _ choices: [(name: String, values: [String])]) {
        self.subject = subject
        self.choices = choices
    }

    func whileRunning(_ body: () -> Void) { TestThread.repeating({ self.setOne() }, while: body) }

    private func setOne() {
        guard let (name, values) = choices.randomElement(), let value = values.randomElement() else { return }
        name == "recipe" || name == "label" ? subject.set(string: name, value) : subject.set(name, value)
        _ = subject.get(name)
    }
}

/// Changes `enabled` when the base class logs that it has allocated a buffer.
private final class Flipper: Sendable {
    private let subject: TestElement
    private let count = Atomic<Int>(0)

    var flips: Int { count.load(ordering: .relaxed) }

    init(_ subject: TestElement) { self.subject = subject }

    func whileLogging(_ body: () -> Void) {
        let listener = LogListener { [self] message in
            if message.object == subject.object { heard(message.text) }
        }
        gst_debug_set_threshold_for_name("basetransform", GST_LEVEL_DEBUG)
        body()
        gst_debug_unset_threshold_for_name("basetransform")
        listener.end()
    }

    /// Changes `enabled` when the base class logs a certain line, while it holds no lock.
    ///
    /// Only the streaming thread logs this line. While the base class logs other lines, it holds a lock.
    private func heard(_ line: String) {
        guard line.hasPrefix("using allocated") else { return }
        let flips = count.add(1, ordering: .relaxed).newValue
        subject.set("enabled", flips.isMultiple(of: 2) ? "true" : "false")
    }
}
