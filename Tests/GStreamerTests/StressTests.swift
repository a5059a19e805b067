import CGStreamer
import CGStreamerCheck
import GStreamer
import Synchronization
import Testing

@Suite struct StressTests {
    /// Nothing may fall over when anyone sets anything at any moment.
    @Test func propertiesMayChangeWhileFramesFlow() {
        let stream = Stream()
        let fuzzer = Fuzzer(stream.subject)
        fuzzer.begin()
        var fromFilter = 0
        for _ in 0..<3000 {
            // Frames that others hold make a passthrough that is switched at the wrong moment visible.
            let input = stream.frame()
            gst_buffer_ref(input)
            #expect(stream.push(input) == GST_FLOW_OK)
            let output = stream.pull()
            if output != input { fromFilter += 1 }
            if let output { gst_buffer_unref(output) }
            gst_buffer_unref(input)
        }
        fuzzer.end()
        #expect(fromFilter > 0 && fromFilter < 3000)
        #expect(stream.subject.messages().allSatisfy { $0.text == "\"soup\" is no recipe" })
    }
}

/// Sets properties from a thread of its own until told to stop.
private final class Fuzzer: @unchecked Sendable {  // GObject properties may be set from any thread.
    private let subject: Subject
    private let isStopping = Atomic<Bool>(false)
    private var thread: OpaquePointer?

    init(_ subject: Subject) { self.subject = subject }

    func begin() {
        let body: GThreadFunc = { data in
            Unmanaged<Fuzzer>.fromOpaque(data!).takeUnretainedValue().run()
            return nil
        }
        thread = OpaquePointer(g_thread_new("fuzzer", body, Unmanaged.passUnretained(self).toOpaque()))
    }

    func end() {
        isStopping.store(true, ordering: .relaxed)
        g_thread_join(.init(thread))
    }

    private func run() {
        let choices: [(String, [String])] = [
            ("enabled", ["true", "false"]), ("gain", ["0", "1", "0.3"]), ("mood", ["calm", "wild"]),
            ("parts", ["luma", "luma+chroma"]), ("label", ["a", "a long text that does not fit into a small string"]),
            ("recipe", ["0.5/1", "soup", "1/2"]), ("int64", ["0", "-1"]),
        ]
        var dice = SystemRandomNumberGenerator()
        while !isStopping.load(ordering: .relaxed) {
            guard let (name, values) = choices.randomElement(using: &dice),
                let value = values.randomElement(using: &dice)
            else { continue }
            name == "recipe" || name == "label" ? subject.set(string: name, value) : subject.set(name, value)
            _ = subject.get(name)
        }
    }
}
