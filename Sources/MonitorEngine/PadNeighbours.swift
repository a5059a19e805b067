import MonitorPolicy
import Threads
import struct Synchronization.Atomic

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

/// The neighbours of one pad: read by streaming threads without a lock, replaced by another thread.
///
/// An application may push EOS through a pad while a streaming thread pushes a frame. A replaced value is released when no
/// thread can use it any more.
final class PublishedNeighbours: Sendable {
    private let current = Atomic<Unmanaged<PadNeighbours>>(Unmanaged.passRetained(PadNeighbours()))
    /// Number of threads that may use `current`, or a value that it had.
    private let users = Atomic<Int>(0)
    private let retired = Mutex<[Unmanaged<PadNeighbours>]>([])

    deinit {
        current.load(ordering: .relaxed).release()
        for old in retired.withLock({ $0 }) { old.release() }
    }

    /// Lends the neighbours for a frame, on the thread that pushes it.
    @inline(__always)
    func withCurrent(_ body: (PadNeighbours) -> Void) {
        users.add(1, ordering: .sequentiallyConsistent)
        current.load(ordering: .sequentiallyConsistent)._withUnsafeGuaranteedRef(body)
        users.subtract(1, ordering: .releasing)
    }

    /// Replaces the neighbours if they differ; once a second, on any thread but a streaming thread.
    func replace(_ value: PadNeighbours) {
        retired.withLock { retired in
            let before = current.load(ordering: .relaxed)
            if !before._withUnsafeGuaranteedRef({ $0.isSame(as: value) }) {
                current.store(Unmanaged.passRetained(value), ordering: .sequentiallyConsistent)
                retired.append(before)
            }
            // A thread that is counted after this reading loads the value of now.
            guard !retired.isEmpty, users.load(ordering: .sequentiallyConsistent) == 0 else { return }
            for old in retired { old.release() }
            retired.removeAll()
        }
    }
}
