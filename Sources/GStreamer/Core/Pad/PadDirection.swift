import CGStreamer

/// Direction in which data pass through a pad.
///
/// The corresponding C type is `GstPadDirection`.
public enum PadDirection: Sendable {
    /// Buffers enter through the pad.
    case sink
    /// Buffers leave through the pad.
    case source

    init(_ raw: GstPadDirection) { self = raw == GST_PAD_SINK ? .sink : .source }
}
