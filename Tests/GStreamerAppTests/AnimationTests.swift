import GStreamer
import GStreamerApp
import Testing

@Suite struct ApplicationAnimationTests {
    /// `volume` interpolates for each sample; the input is constant.
    @Test func propertyFollowsThePoints() async throws {
        let pipeline = try Pipeline(
            "audiotestsrc wave=square freq=0.01 volume=1 samplesperbuffer=1000 num-buffers=4 "
                + "! audio/x-raw,format=F32LE,rate=1000,channels=1 ! volume name=volume ! appsink name=sink sync=false")
        let volume = try #require(pipeline["volume"])
        #expect(volume.animate("volume", [(.zero, 0), (.seconds(1), 1), (.seconds(3), 0.5)]))
        let samples = try pipeline.samples(of: "sink")
        func levels() async throws -> [Float] {
            var levels: [Float] = []
            for try await sample in samples {
                let bytes = sample.bytes
                levels.append(bytes.withUnsafeBytes { abs($0.loadUnaligned(fromByteOffset: 500 * 4, as: Float.self)) })
            }
            return levels.map { ($0 * 100).rounded() / 100 }
        }
        try await pipeline.set(.playing)
        #expect(try await levels() == [0.5, 0.88, 0.63, 0.5])
        try await pipeline.set(.null)
        #expect(volume.animate("volume", []))
        volume.set("volume", to: 0.25)
        try await pipeline.set(.playing)
        #expect(try await levels() == [0.25, 0.25, 0.25, 0.25])
        try await pipeline.set(.null)
    }

    @Test func onlyControllablePropertiesOfElementAndPadsAreAnimated() async throws {
        let pipeline = try Pipeline("compositor name=mix ! fakesink videotestsrc ! mix.")
        let mix = try #require(pipeline["mix"])
        #expect(mix.animate("sink_0::alpha", [(.zero, 0)]) && mix.animate("sink_0::alpha", []))
        for name in ["sink_0::no", "sink_9::alpha", "latency", "no", "", "::", "sink_0::"] {
            #expect(!mix.animate(name, [(.zero, 0)]), "\(name)")
        }
        #expect(!mix.animate("sink_0::alpha", [(.zero, .nan)]))
        // There is no earlier time than 0.
        #expect(mix.animate("sink_0::alpha", [(.seconds(-1), 0), (.seconds(Int64.max), 1)]))
    }
}
