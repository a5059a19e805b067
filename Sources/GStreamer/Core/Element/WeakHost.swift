/// A weak reference to an element.
///
/// Any thread may use it. The corresponding C type is `GWeakRef`.
public final class WeakHost: Sendable {
    private let reference: WeakReference

    /// A weak reference to the element of `host`.
    public init(_ host: ElementHost) { reference = WeakReference(host.raw) }

    /// Calls `body` with the element if it still exists.
    ///
    /// Call it without a mutex locked, because it may release the last reference.
    public func lend(_ body: (ElementHost) -> Void) {
        reference.lend { body(ElementHost(raw: $0)) }
    }

    /// A strong reference to the element; nil if it no longer exists.
    ///
    /// The corresponding C function is `g_weak_ref_get`.
    public func retained() -> ElementReference? { reference.lend { ElementReference(unsafe: $0) } }
}
