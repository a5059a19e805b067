import Foundation
import GstTestSupport
import Testing

/// Tests that `gst-launch-1.0` prints one sentence below the table for each kind of slow pipeline, with the plugin of
/// `plugin-build/build`.
@Suite(.serialized) struct SlowPipelineTests {
    private static let starved = "waited for a CPU"

    /// Plays to EOS, and returns the sentences that name a cause.
    ///
    /// If other programs use the processors, the process may wait for a processor, which hides the other causes.
    private func sentences(_ line: String, before: [String] = []) throws -> [String] {
        let words = line.split(separator: " ").map(String.init)
        let run = try ProgramRun("env", before + ["gst-launch-1.0", "-q"] + words + ["perfmonitor"])
        let table = run.output.replacing("\n  ", with: " ").split(separator: "\n").map(String.init)
        return table.filter { $0.firstMatch(of: /^(waited for a CPU|bottleneck|network|source)[ :]/) != nil }
    }

    private func expect(_ sentences: [String], _ beginning: String, _ place: SourceLocation = #_sourceLocation) {
        let others = sentences.filter { !$0.hasPrefix(Self.starved) }
        if others.isEmpty, !sentences.isEmpty { return }
        #expect(
            others.count == 1 && others[0].hasPrefix(beginning), "\(sentences), not \(beginning)",
            sourceLocation: place)
    }

    @Test func aSlowElementIsTheBottleneck() throws {
        let line =
            "videotestsrc is-live=true num-buffers=120 ! video/x-raw,width=64,height=48,framerate=30/1 ! queue name=q max-size-buffers=3 ! identity name=slow sleep-time=60000 ! fakesink sync=false"
        let found = try sentences(line)
        expect(found, "bottleneck: slow, ")
        // Other programs may lengthen the 60 ms of a frame, but the rate remains the reciprocal of the time of a frame.
        guard let last = found.last(where: { $0.hasPrefix("bottleneck") }) else { return }
        let figures = try #require(last.firstMatch(of: /slow, ([0-9.]+) ms a frame at ([0-9.]+)\/s/))
        let (time, rate) = try (#require(Double(figures.1)), #require(Double(figures.2)))
        #expect(time >= 60 && abs(time * rate - 1000) < 50, "\(last)")
    }

    @Test func aSourceThatCannotMakeTheFramesOfItsCapsIsSlow() throws {
        let line =
            "videotestsrc name=camera is-live=true num-buffers=6000 ! video/x-raw,width=1280,height=720,framerate=5000/1 ! queue name=q ! fakesink sync=false"
        expect(try sentences(line), "source slow: camera, ")
    }

    /// The process and four busy loops use the same processor.
    @Test func aProcessWithoutProcessorWaitsForIt() throws {
        let line =
            "videotestsrc is-live=true num-buffers=120 ! video/x-raw,width=640,height=360,framerate=60/1 ! queue ! videoconvert ! video/x-raw,format=RGB ! fakesink sync=false"
        let loops = "for n in 1 2 3 4; do while ((SECONDS < 60)); do :; done & done; \"$@\"; kill -9 $(jobs -p)"
        let found = try sentences(line, before: ["taskset", "-c", "0", "bash", "-c", loops, "loops"])
        #expect(found.count == 1 && found.first?.hasPrefix(Self.starved) == true, "\(found)")
    }

    @Test(
        arguments: [
            ("identity", nil), ("netsim drop-probability=0.1", "network lossy: jitter, "),
            ("netsim delay-probability=0.2 min-delay=150 max-delay=300", "network late: jitter, "),
        ] as [(String, String?)])
    func aNetworkThatIsLateOrLossyIsNamed(network: String, sentence: String?) throws {
        guard Setup.has("x264enc ! netsim") else { return }
        let line =
            "videotestsrc is-live=true num-buffers=180 pattern=ball ! video/x-raw,width=640,height=360,framerate=30/1 ! x264enc tune=zerolatency speed-preset=ultrafast bitrate=1000 ! rtph264pay ! \(network) ! rtpjitterbuffer name=jitter latency=50 ! rtph264depay ! fakesink"
        let found = try sentences(line)
        guard let sentence else {
            #expect(found.allSatisfy { $0.hasPrefix(Self.starved) }, "\(found)")
            return
        }
        expect(found, sentence)
    }
}
