import GStreamer
import Synchronization

/// Figures of `sendspinplay` for its property `stats`.
final class PlayReport: Sendable {
    private let current = Mutex<PlayLine?>(nil)

    var line: PlayLine? {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    /// The property `stats`.
    var stats: Structure {
        var stats = Structure("sendspin-play-stats")
        let (source, sync) = line?.stats ?? (nil, nil)
        stats["source"] = source
        stats["sync"] = sync
        return stats
    }
}
