import Dispatch
import SendspinSupport
@testable import SendspinProtocol

/// A Sendspin server that plays a ramp to the first player that is ready.
final class MusicServer: Sendable {
    let server: FakeServer

    var uri: String { server.uri }

    /// Plays `streams` successive streams, which last `seconds` seconds, or have no end if `seconds` is nil.
    init(seconds: Int64?, streams: Int = 1) throws {
        var settings = PeerSettings()
        settings.name = "Cellar"
        server = try FakeServer(settings)
        server.announce(GroupUpdate(playback: .stopped, groupID: "1", groupName: "Kitchen"))
        var track = Metadata(
            timestamp: server.clock.time(at: .zero), title: "Slow \u{1B}Air", artist: "A Fiddler", album: nil)
        track.progress = TrackProgress(position: .zero, duration: .seconds(600), speed: 0)
        server.show(track)
        // The threads of Swift concurrency must not block.
        DispatchQueue.global().async { [server] in
            let isReady = server.wait(.seconds(100)) { $0.last?.state?.isAvailable == true }
            for _ in 0..<(isReady ? streams : 0) {
                server.play(.pcm(length: seconds.map { $0 * 48_000 }), lead: .milliseconds(1_500))
                while server.isPlaying, server.openCount > 0 {
                    _ = server.wait(.milliseconds(20)) { _ in false }
                }
            }
        }
    }
}
