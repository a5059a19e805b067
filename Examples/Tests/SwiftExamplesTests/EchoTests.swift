import GStreamer
import GStreamerApp
import SwiftExamples
import Testing

@Suite struct EchoTests {
    /// Plays 2048 samples, the first of which is 1, twice; returns the samples that are not 0, with their positions.
    private func echoes(_ properties: String) async throws -> [[Int: Float]] {
        initialize()
        gst_plugin_swiftexamples_register()
        let caps = "audio/x-raw,format=F32LE,layout=interleaved,rate=8000,channels=1"
        let pipeline = try Pipeline(
            "appsrc name=source format=time caps=\(caps) ! swiftecho \(properties) ! appsink name=sink sync=false")
        let samples = try pipeline.samples(of: "sink")
        let writer = try pipeline.writer(to: "source")
        var runs: [[Int: Float]] = []
        for _ in 0..<2 {
            pipeline.element.setState(.playing)
            for number in 0..<2 {
                guard var buffer = Buffer(byteCount: 1024 * 4) else { continue }
                _ = buffer.withMutableBytes { bytes in
                    for index in 0..<1024 {
                        let sample: Float = number == 0 && index == 0 ? 1 : 0
                        bytes.storeBytes(of: sample, toByteOffset: index * 4, as: Float.self)
                    }
                }
                try await writer.write(buffer)
            }
            writer.finish()
            var output: [Float] = []
            for try await sample in samples {
                sample.bytes.withUnsafeBytes { bytes in output += bytes.bindMemory(to: Float.self) }
            }
            runs.append(Dictionary(uniqueKeysWithValues: output.enumerated().filter { $1 != 0 }.map { ($0, $1) }))
            try await pipeline.set(.null)
        }
        return runs
    }

    @Test func repeatsASampleAfterTheDelay() async throws {
        // 0.1 s are 800 samples.
        #expect(try await echoes("delay=0.1")[0] == [0: 1, 800: 0.5, 1600: 0.25])
    }

    @Test func forgetsTheEchoOfThePastRun() async throws {
        let runs = try await echoes("delay=0.1")
        #expect(runs[0] == runs[1])
    }

    @Test func passesAudioWithoutFeedback() async throws {
        #expect(try await echoes("delay=0.1 feedback=0")[0] == [0: 1])
    }
}
