import CGStreamer

/// Direction in which an element uses a URI.
///
/// The corresponding C type is `GstURIType`.
public enum URIDirection: Sendable {
    /// The element reads from the URI.
    case source
    /// The element writes to the URI.
    case sink
}
