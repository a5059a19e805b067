import GStreamer
import GStreamerApp
import SwiftExamples
import Testing

@Suite struct PeakSinkTests {
    private func pipeline(volume: Double, buffers: Int = 200) throws -> Pipeline {
        initialize()
        gst_plugin_swiftexamples_register()
        return try Pipeline(
            "audiotestsrc num-buffers=\(buffers) volume=\(volume) ! audio/x-raw,rate=44100 ! swiftpeaksink name=sink sync=false"
        )
    }

    /// The peaks that the sink posts in one run.
    private func peaks(_ pipeline: Pipeline) async throws -> [Structure.Value?] {
        let messages = pipeline.messages()
        try await pipeline.set(.playing)
        var peaks: [Structure.Value?] = []
        reading: for await message in messages {
            switch message.contents {
            case .element(let structure): peaks.append(structure["peak"])
            case .endOfStream, .error: break reading
            default: continue
            }
        }
        try await pipeline.set(.null)
        return peaks
    }

    @Test func postsThePeakOfEachSecondAndOfTheEnd() async throws {
        // 200 buffers of 1024 samples last 4.6 s.
        #expect(try await peaks(pipeline(volume: 0.5)) == Array(repeating: .uint(16_383), count: 5))
    }

    @Test func measuresEachRunAnew() async throws {
        let pipeline = try pipeline(volume: 0.5, buffers: 10)
        #expect(try await peaks(pipeline) == [.uint(16_383)])
        #expect(try await peaks(pipeline) == [.uint(16_383)])
    }

    @Test func propertyHasThePeak() async throws {
        let pipeline = try pipeline(volume: 0.25, buffers: 10)
        try await pipeline.set(.playing)
        try await pipeline.endOfStream()
        #expect(pipeline["sink"]?.value("peak") == .uint(8_191))
        try await pipeline.set(.null)
    }
}
