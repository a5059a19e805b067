import GStreamer
import GStreamerTesting
import SwiftExamples
import Testing

@Suite struct PeakSinkTests {
    private let caps = "audio/x-raw, format=S16LE, layout=interleaved, rate=10, channels=1"

    private func harness() throws -> Harness {
        initialize()
        gst_plugin_swiftexamples_register()
        return try #require(Harness("swiftpeaksink", source: nil, caps: caps))
    }

    /// Sends 2.5 s in buffers of 10 samples of `level`, and the end of the stream; returns the messages of the sink.
    private func messages(_ harness: Harness, level: UInt8) -> [String] {
        for half in 0..<5 {
            var buffer = Buffer(Array(repeating: [0, level], count: 5).flatMap { $0 })
            buffer.pts = .milliseconds(500) * half
            harness.push(buffer)
        }
        harness.push(Event.endOfStream())
        return harness.messages().map(\.text)
    }

    @Test func postsThePeakOfEachSecondAndOfTheEnd() throws {
        let expected = Array(repeating: "swift-peak, peak=(uint)16384;", count: 3)
        #expect(messages(try harness(), level: 0x40) == expected)
    }

    @Test func measuresEachRunAnew() throws {
        let harness = try harness()
        #expect(messages(harness, level: 0x40).last == "swift-peak, peak=(uint)16384;")
        harness.restart(caps: caps)
        #expect(messages(harness, level: 0x20).last == "swift-peak, peak=(uint)8192;")
    }

    @Test func propertyHasThePeak() throws {
        let harness = try harness()
        _ = messages(harness, level: 0x20)
        #expect(harness.element.value("peak") == .uint(8_192))
    }
}
