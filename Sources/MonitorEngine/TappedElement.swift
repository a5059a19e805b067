public import MonitorPolicy

/// An element as the figures name it.
///
/// It has the record of the element and no reference to it, so that an element that was removed is freed.
public struct TappedElement: Sendable {
    /// Frames and latencies.
    public let record: ElementRecord
    /// Identifies the element; no other in the process ever has the same.
    public let id: Int
    /// Kinds by which targets may mean it: `source`, `sink`, `encoder`, `decoder`, `queue`, `muxer` and so on.
    public let kinds: [String]
    /// Whether one frame that enters is one that leaves.
    public let keepsFrames: Bool
    /// Whether a tracer measures the time in pushes, and that of the element without them.
    public let measuresPushes: Bool
    /// Whether frames end here.
    public let isSink: Bool
}
