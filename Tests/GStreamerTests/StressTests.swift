import CGStreamer
import CGStreamerCheck
import GStreamer
import Synchronization
import Testing

@Suite struct StressTests {
    /// Nothing may fall over when anyone sets anything at any moment.
    @Test func propertiesMayChangeWhileFramesFlow() {
        let stream = Stream()
        let fuzzer = Fuzzer(
            stream.subject,
            [
                ("enabled", ["true", "false"]), ("gain", ["0", "1", "0.3"]), ("mood", ["calm", "wild"]),
                ("parts", ["luma", "luma+chroma"]), ("label", ["a", "a text too long for a small string"]),
                ("recipe", ["0.5/1", "soup", "1/2"]), ("int64", ["0", "-1"]),
            ])
        fuzzer.whileRunning { flow(3000, through: stream) }
        #expect(stream.subject.messages().allSatisfy { $0.text == "\"soup\" is no recipe" })
    }

    /// Were the switch seen in the middle of a frame, the filter would be asked to write into a frame others hold.
    @Test func passthroughMaySwitchAtAnyMoment() {
        let stream = Stream()
        let fuzzer = Fuzzer(stream.subject, [("enabled", ["true", "false"])])
        fuzzer.whileRunning { flow(200_000, through: stream) }
        #expect(stream.subject.messages() == [])
    }

    /// Sends frames that someone else holds, so that each has to be copied before it is written to.
    private func flow(_ count: Int, through stream: Stream) {
        let input = stream.frame()
        for _ in 0..<count {
            gst_buffer_ref(input)
            guard stream.push(input) == GST_FLOW_OK, let output = stream.pull() else {
                Issue.record("a frame was lost")
                break
            }
            gst_buffer_unref(output)
        }
        gst_buffer_unref(input)
    }
}

/// Sets properties from a thread of its own.
private final class Fuzzer: @unchecked Sendable {  // GObject properties may be set from any thread.
    private let subject: Subject
    private let choices: [(name: String, values: [String])]
    private let isStopping = Atomic<Bool>(false)

    init(_ subject: Subject, _ choices: [(name: String, values: [String])]) {
        self.subject = subject
        self.choices = choices
    }

    func whileRunning(_ body: () -> Void) {
        let run: GThreadFunc = { data in
            Unmanaged<Fuzzer>.fromOpaque(data!).takeUnretainedValue().run()
            return nil
        }
        let thread = g_thread_new("fuzzer", run, Unmanaged.passUnretained(self).toOpaque())
        body()
        isStopping.store(true, ordering: .relaxed)
        g_thread_join(thread)
    }

    private func run() {
        while !isStopping.load(ordering: .relaxed) {
            guard let (name, values) = choices.randomElement(), let value = values.randomElement() else { return }
            name == "recipe" || name == "label" ? subject.set(string: name, value) : subject.set(name, value)
            _ = subject.get(name)
        }
    }
}
