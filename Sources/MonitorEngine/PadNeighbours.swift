import MonitorPolicy

/// Records with which a streaming thread compares its frames.
final class PadNeighbours: Sendable {
    let sinks: [PadRecord]
    /// Pads upstream with the role `origin`.
    let origins: [PadRecord]
    /// Whether running times differ from those of the source, as downstream of a muxer and a demuxer.
    let isRetimed: Bool

    init(sinks: [PadRecord] = [], origins: [PadRecord] = [], isRetimed: Bool = false) {
        self.sinks = sinks
        self.origins = origins
        self.isRetimed = isRetimed
    }

    func isSame(as other: PadNeighbours) -> Bool {
        isRetimed == other.isRetimed && sinks.elementsEqual(other.sinks, by: ===)
            && origins.elementsEqual(other.origins, by: ===)
    }
}
