/// An element that others remember without keeping it alive.
///
/// Any thread may use it. The corresponding C type is `GWeakRef`.
public final class WeakHost: Sendable {
    private let reference: WeakReference

    /// Remembers `host`.
    public init(_ host: ElementHost) { reference = WeakReference(host.raw) }

    /// Lends the element when it still lives; hold no lock, since it may be the last to let go.
    public func lend(_ body: (ElementHost) -> Void) {
        reference.lend { body(ElementHost(raw: $0)) }
    }
}
