public import MonitorPolicy

/// The part of a watched element that figures require.
///
/// It contains the record of the element and no reference to it, so that a removed element is freed.
public struct TappedElement: Sendable {
    /// Record of frames and latencies.
    public let record: ElementRecord
    /// Identifies the element; unique in the process.
    public let id: Int
    /// Kinds that targets may match: `source`, `sink`, `encoder`, `decoder`, `queue`, `muxer` and so on.
    public let kinds: [String]
    /// Whether each frame that enters corresponds to one that leaves.
    public let keepsFrames: Bool
    /// Whether a tracer measures the time in pushes, and the time of the element without them.
    public let measuresPushes: Bool
    /// Whether frames end in the element.
    public let isSink: Bool
}
