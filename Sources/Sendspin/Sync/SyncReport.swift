import Durations
import GStreamer
import Threads

/// Figures of `sendspinsync` for its property `stats`.
final class SyncReport: Sendable {
    private struct Figures: Sendable {
        var error: Duration?
        var drift = 0.0
        var inserted = 0
        var dropped = 0
        var snaps = 0
        var discontinuities = 0
    }

    private let figures = Mutex(Figures())

    /// Copies the figures of the stream, on the streaming thread.
    func publish(_ stream: borrowing SyncedStream) {
        figures.withLock { figures in
            figures.error = stream.corrector?.error
            figures.drift = stream.corrector?.drift ?? 0
            figures.inserted = stream.corrector?.insertedCount ?? 0
            figures.dropped = stream.corrector?.droppedCount ?? 0
            figures.snaps = stream.corrector?.snapCount ?? 0
            figures.discontinuities = stream.discontinuities
        }
    }

    /// The property `stats`, with the error in nanoseconds.
    var stats: Structure {
        let figures = figures.withLock { $0 }
        var stats = Structure("sendspin-sync-stats")
        stats["error"] = figures.error.map { .int64(Int64(nanosecondsOf: $0)) }
        stats["drift-ppm"] = .double(figures.drift * 1e6)
        stats["inserted"] = .uint64(UInt64(figures.inserted))
        stats["dropped"] = .uint64(UInt64(figures.dropped))
        stats["snaps"] = .uint64(UInt64(figures.snaps))
        stats["discontinuities"] = .uint64(UInt64(figures.discontinuities))
        return stats
    }
}
