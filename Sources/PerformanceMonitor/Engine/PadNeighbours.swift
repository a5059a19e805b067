import MonitorPolicy
import Synchronization

/// The records that a streaming thread compares its frames with.
final class PadNeighbours: Sendable {
    /// Sink pads of the same element.
    let sinks: [PadRecord]
    /// Source pads upstream at which frames receive their PTS.
    let origins: [PadRecord]
    /// Whether running times are others than those of the source: behind a muxer and a demuxer.
    let isRetimed: Bool

    init(sinks: [PadRecord] = [], origins: [PadRecord] = [], isRetimed: Bool = false) {
        self.sinks = sinks
        self.origins = origins
        self.isRetimed = isRetimed
    }

    func isSame(as other: PadNeighbours) -> Bool {
        isRetimed == other.isRetimed && Self.isSame(sinks, other.sinks) && Self.isSame(origins, other.origins)
    }

    private static func isSame(_ one: [PadRecord], _ other: [PadRecord]) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { $0 === $1 }
    }
}

/// The neighbours of one pad: read by its streaming thread without a lock, replaced by another thread.
///
/// A replaced value is released when the streaming thread has left the frame that may use it.
final class PublishedNeighbours: Sendable {
    private let current = Atomic<Unmanaged<PadNeighbours>>(Unmanaged.passRetained(PadNeighbours()))
    /// Grows by one at the begin and the end of each frame: odd while a frame uses `current`.
    private let frames = Atomic<UInt64>(0)
    private let retired = Mutex<[(value: Unmanaged<PadNeighbours>, frame: UInt64)]>([])

    deinit {
        current.load(ordering: .relaxed).release()
        for old in retired.withLock({ $0 }) { old.value.release() }
    }

    /// Lends the neighbours; the streaming thread of the pad calls it, once for each frame.
    @inline(__always)
    func withCurrent(_ body: (PadNeighbours) -> Void) {
        let number = frames.load(ordering: .relaxed)
        frames.store(number &+ 1, ordering: .sequentiallyConsistent)
        current.load(ordering: .sequentiallyConsistent)._withUnsafeGuaranteedRef(body)
        frames.store(number &+ 2, ordering: .releasing)
    }

    /// Replaces the neighbours if they differ; any thread but a streaming thread.
    func replace(_ value: PadNeighbours) {
        retired.withLock { retired in
            let before = current.load(ordering: .relaxed)
            guard !before._withUnsafeGuaranteedRef({ $0.isSame(as: value) }) else { return }
            current.store(Unmanaged.passRetained(value), ordering: .sequentiallyConsistent)
            // A frame that begins after this reading uses the new value.
            let frame = frames.load(ordering: .sequentiallyConsistent)
            retired.append((before, frame))
            retired.removeAll { old in
                guard frame & 1 == 0 || frame != old.frame else { return false }
                old.value.release()
                return true
            }
        }
    }
}
