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
