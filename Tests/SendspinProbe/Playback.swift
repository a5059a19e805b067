import CGStreamer
import GstTestSupport
import SendspinSecurity
import SendspinSupport
@testable import SendspinProtocol

/// Plays from a fake server with a seek, metadata, artwork, the end of a stream, another format, and pairing.
enum Playback {
    private static let dac = "virtualdac clock-offset=1000000000000"

    static func source(_ folder: String) throws {
        let server = try FakeServer()
        let pipeline = Pipeline(
            "sendspinsrc name=p uri=\(server.uri) ! decodebin ! audioconvert ! sendspinsync ! \(dac) name=s")
        try play(pipeline, server, folder)
    }

    static func player(_ folder: String) throws {
        let server = try FakeServer()
        let pipeline = Pipeline(
            "pipeline.( sendspinplay name=p uri=\(server.uri) idle-timeout=50000000 audio-sink=\"\(dac) name=s\" )")
        try play(pipeline, server, folder)
    }

    /// Captures twice, and pairs in between.
    static func sink(_ folder: String) throws {
        let server = try FakeServer()
        let pipeline = Pipeline(
            "audiotestsrc is-live=true ! flacenc ! sendspinsink name=p uri=\(server.uri) line-sense=true")
        start(pipeline, server, folder)
        for _ in 0..<2 {
            server.command(.start)
            require(server.wait { ($0.last?.captures.last?.chunks.count ?? 0) > 5 }, "no audio")
            server.command(.stop)
            require(server.wait { $0.last?.captures.last?.isEnded == true }, "not stopped")
            let text = SignalEmission("get-pairing-token").emit(on: pipeline.element()) ?? ""
            guard let token = PairingToken(text: text) else { fatalError("no pairing token") }
            server.pair(token)
            require(
                server.wait { $0.last?.keyCategory == "lt" && $0.last?.state?.isAvailable == true }, "not paired")
        }
        print("frames played:", pipeline.statistic("chunks"))
        finish(pipeline, server)
    }

    /// Pairs with the server, and plays for a short time.
    static func pairing(_ folder: String) throws {
        let server = try FakeServer()
        let pipeline = Pipeline("sendspinsrc name=p uri=\(server.uri) ! fakesink name=s sync=false")
        start(pipeline, server, folder)
        let text = SignalEmission("get-pairing-token").emit(on: pipeline.element()) ?? ""
        guard let parsed = PairingToken(text: text) else { fatalError("no pairing token") }
        server.pair(parsed)
        require(server.wait { $0.last?.keyCategory == "lt" && $0.last?.isActive == true }, "not paired")
        print("paired by \(text)")
        server.play(.pcm(length: 12_000), lead: .milliseconds(500))
        require(server.wait { $0.last?.chunkCount == 10 }, "not played")
        finish(pipeline, server)
    }

    private static func play(_ pipeline: Pipeline, _ server: FakeServer, _ folder: String) throws {
        start(pipeline, server, folder)
        server.play(.flac(), lead: .milliseconds(700))
        server.show(Metadata(timestamp: .microseconds(1), title: "title", artist: "artist"))
        server.send(
            .streamStart(StreamStart(artwork: [ArtworkChannel(source: .album, format: .jpeg, width: 600, height: 600)]))
        )
        server.showArtwork([UInt8](repeating: 1, count: 100_000), at: .microseconds(1))
        require(eventually { played(pipeline) > 4_000 }, "no audio")
        server.play(.pcm(), lead: .milliseconds(700), firstIndex: 9)
        require(eventually { played(pipeline) > 30_000 }, "no audio after a seek")
        server.end()
        simulateWork(for: .milliseconds(300))
        server.play(.pcm(bitDepth: 24), lead: .milliseconds(900))
        let before = played(pipeline)
        require(eventually { played(pipeline) > before + 10_000 }, "no audio after the end")
        print("frames played:", played(pipeline))
        finish(pipeline, server)
    }

    private static func played(_ pipeline: Pipeline) -> Double { pipeline.statistic("frames", of: "s") }

    static func start(_ pipeline: Pipeline, _ server: FakeServer, _ folder: String) {
        pipeline.element().set(string: "storage-folder", to: folder)
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        require(server.wait { $0.last?.state?.isAvailable == true }, "not connected")
    }

    static func finish(_ pipeline: Pipeline, _ server: FakeServer) {
        require(pipeline.go(GST_STATE_NULL), "not stopped")
        require(server.violations.isEmpty, "violations: \(server.violations)")
        server.stop()
    }
}
