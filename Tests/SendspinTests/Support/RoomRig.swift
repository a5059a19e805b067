import CGStreamer
import Foundation
import GstTestSupport
import SendspinSupport
import SendspinProtocol
import TestSupport

/// A fake server, and a player and a source in one process with the same `storage-folder`.
final class RoomRig {
    /// The roles of a client that plays and captures.
    static let both: Set<Role> = [.player, .source]

    let server: FakeServer
    let folder: URL
    /// Plays with `sendspinsrc name=p`; the sink `s` is recorded.
    let player: Pipeline
    /// Captures with `sendspinsink name=p`.
    let source: Pipeline
    let recorder: StreamRecorder
    /// Messages of the player.
    let bus: BusWatch
    /// Messages of the source.
    let sourceBus: BusWatch

    /// Without `playing` or `capturing`, the element has the server as `uri`.
    init(
        server: FakeServer? = nil, playing: String? = nil, capturing: String? = nil, input: String = SinkRig.sine,
        folder: URL = Setup.newFolder()
    ) throws {
        _ = SendspinSetup.once
        var settings = PeerSettings()
        settings.trustsKnownClocks = true
        self.server = try server ?? FakeServer(settings)
        self.folder = folder
        let uri = "uri=\(self.server.uri)"
        player = Pipeline(
            "sendspinsrc name=p codecs=pcm \(playing ?? uri) ! audioconvert dithering=none ! audio/x-raw,format=S16LE "
                + "! fakesink name=s sync=false")
        source = Pipeline("\(input) ! sendspinsink name=p \(capturing ?? uri)")
        for pipeline in [player, source] { pipeline.element("p").set(string: "storage-folder", to: folder.path) }
        recorder = StreamRecorder(player.element("s"))
        (bus, sourceBus) = (BusWatch(player.raw), BusWatch(source.raw))
    }

    deinit {
        for pipeline in [source, player] { pipeline.go(GST_STATE_NULL) }
        bus.end()
        sourceBus.end()
        server.stop()
    }

    /// Begins to play or to capture.
    func start(_ pipelines: Pipeline...) {
        for pipeline in pipelines { gst_element_set_state(pipeline.raw, GST_STATE_PLAYING) }
    }

    /// Waits until one connection is open, and offers exactly these of the roles of player and source.
    func hasConnection(with roles: Set<Role>) -> Bool {
        server.wait { reports in
            let open = reports.filter { $0.closure == nil }
            guard open.count == 1, let one = open.first, let hello = one.hello else { return false }
            return roles == Set(hello.roles).intersection([.player, .source]) && one.goodbye == nil
                && one.state?.isAvailable == true && (one.state?.player != nil) == roles.contains(.player)
        }
    }

    /// Requests captured audio, and waits for chunks of a new stream; false if they do not arrive.
    func capture(_ count: Int = 5) -> Bool {
        let old = server.report.captures.count
        server.command(.start)
        return receives(count, streams: old + 1)
    }

    /// Waits until the newest connection has `streams` streams of captured audio, and `count` chunks in the last one.
    func receives(_ count: Int, streams: Int) -> Bool {
        server.wait {
            ($0.last?.captures.count ?? 0) == streams && ($0.last?.captures.last?.chunks.count ?? 0) >= count
        }
    }

    /// Waits until the player has passed on `count` more buffers.
    func plays(_ count: Int = 20) -> Bool {
        let old = recorder.chunks.count
        return eventually { recorder.chunks.count >= old + count }
    }

    /// Indices of the ramp that the player has passed on.
    var indices: [Int64?] { RampSignal.indices(pcm: recorder.bytes, bitDepth: 16) }
}
