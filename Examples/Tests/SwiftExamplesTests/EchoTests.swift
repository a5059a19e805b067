import GStreamer
import GStreamerTesting
import SwiftExamples
import Testing

@Suite struct EchoTests {
    private let caps = "audio/x-raw, format=F32LE, layout=interleaved, rate=8000, channels=1"

    private func harness(_ properties: [String: String]) throws -> Harness {
        initialize()
        gst_plugin_swiftexamples_register()
        return try #require(Harness("swiftecho", properties, caps: caps))
    }

    /// Plays 2048 samples, the first of which is `first`; returns the samples that are not 0, with their positions.
    private func echoes(_ harness: Harness, first: Float = 1) -> [Int: Float] {
        var output: [Float] = []
        for number in 0..<2 {
            var samples = [Float](repeating: 0, count: 1024)
            if number == 0 { samples[0] = first }
            let bytes = samples.withUnsafeBytes { Array($0) }
            harness.play(bytes)?.withUnsafeBytes { output += $0.bindMemory(to: Float.self) }
        }
        return Dictionary(uniqueKeysWithValues: output.enumerated().filter { $1 != 0 }.map { ($0, $1) })
    }

    @Test func repeatsASampleAfterTheDelay() throws {
        // 0.1 s are 800 samples.
        #expect(echoes(try harness(["delay": "0.1"])) == [0: 1, 800: 0.5, 1600: 0.25])
        #expect(echoes(try harness(["delay": "0.1", "feedback": "0"])) == [0: 1])
    }

    @Test func forgetsTheEchoInAFlushAndInANewRun() throws {
        let harness = try harness(["delay": "0.1"])
        #expect(echoes(harness).count == 3)
        harness.flush()
        #expect(echoes(harness, first: 0) == [:])
        #expect(echoes(harness).count == 3)
        harness.restart(caps: caps)
        #expect(echoes(harness, first: 0) == [:])
    }

    @Test func releasesEverythingWithoutAWarning() throws {
        _ = try harness([:])
        let warnings = loggedWarnings {
            let leaks = Harness.leaks(of: "swiftecho", caps: caps) { #expect(echoes($0) == [0: 1, 2000: 0.5]) }
            #expect(leaks == [])
        }
        #expect(warnings == [])
    }
}
