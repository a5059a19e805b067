import CGStreamer

/// An element that others remember without keeping it alive.
///
/// Any thread may use it. The corresponding C type is `GWeakRef`.
public final class WeakHost: @unchecked Sendable {  // GObject guards weak references itself.
    private let reference = UnsafeMutablePointer<GWeakRef>.allocate(capacity: 1)

    /// Remembers `host`.
    public init(_ host: ElementHost) {
        reference.initialize(to: GWeakRef())
        g_weak_ref_init(reference, host.raw)
    }

    deinit {
        g_weak_ref_clear(reference)
        reference.deallocate()
    }

    /// Lends the element when it still lives; hold no lock, since it may be the last to let go.
    public func lend(_ body: (ElementHost) -> Void) {
        guard let raw = g_weak_ref_get(reference) else { return }
        body(ElementHost(raw: raw))
        g_object_unref(raw)
    }
}
