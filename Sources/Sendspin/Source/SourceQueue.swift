import Durations
import GStreamer
import SendspinProtocol
import Threads

/// The queue between the network thread and the streaming thread of `sendspinsrc`.
///
/// Its mutex is a leaf lock; nothing is pushed or posted while it is held.
final class SourceQueue: Sendable {
    private let monitor = Monitor(SourceState(), conditions: 1)

    /// Changes the state and wakes the streaming thread.
    func change<R>(_ body: (inout SourceState) -> R) -> R {
        monitor.change { state in
            defer { monitor.mutex.wake(0) }
            return body(&state)
        }
    }

    /// Inserts a chunk, and wakes the streaming thread if it is the next one.
    func insert(
        _ buffer: QueuedBuffer, at timestamp: Duration, duration: Duration?, bytes: Int
    ) -> ChunkAdmission {
        monitor.change { state in
            let first = state.firstTimestamp
            defer { if state.firstTimestamp != first { monitor.mutex.wake(0) } }
            return state.insert(buffer, at: timestamp, duration: duration, bytes: bytes, now: MonotonicClock.now)
        }
    }

    /// Waits for the next step of the streaming thread.
    func next() -> SourceStep {
        monitor.await { state in
            switch state.next(now: MonotonicClock.now) {
            case .step(let step): .done(step)
            case .wait(let deadline): .wait(0, until: deadline)
            }
        }
    }
}

/// The next step of the streaming thread.
enum SourceStep: Sendable {
    /// Push caps; `isFirst` if the latency of the pipeline is not known yet.
    case format(StreamFormat, isFirst: Bool)
    /// The latency of the pipeline counts as final.
    case settled
    /// Push the tags.
    case tags(TagList)
    /// Push a buffer that must be rendered at `server`, a time of the server.
    case buffer(QueuedBuffer, at: Duration, duration: Duration?, isDiscontinuity: Bool)
    /// There is no audio between these times of the server.
    case gap(from: Duration, to: Duration)
    /// The stream of the server has ended.
    case streamEnded
    /// Downstream was flushed while there is no stream.
    case flushed
    /// `unlock` was called.
    case unlocked
}

/// Format of a stream and its caps, which are made on the network thread.
struct StreamFormat: Sendable {
    let format: AudioFormat
    let caps: Caps
}
