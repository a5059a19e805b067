import GStreamer
import Threads

/// Statistics of `sendspinplay` for its property `stats`.
final class PlayReport: Sendable {
    private let current = Mutex<PlayLine?>(nil)

    var line: PlayLine? {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    /// The property `stats`; inner fields are repeated in it, because Python frees inner structures with the outer one.
    var stats: Structure {
        var stats = Structure("sendspin-play-stats")
        let (source, sync) = line?.stats ?? (nil, nil)
        stats["source"] = source
        stats["sync"] = sync
        for (name, value) in [("source", source), ("sync", sync)] {
            guard case .structure(let inner)? = value else { continue }
            for field in inner.fields { stats["\(name)-\(field.name)"] = field.value }
        }
        return stats
    }
}
