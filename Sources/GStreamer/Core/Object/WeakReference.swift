import CGStreamer

/// A GObject that is remembered without being kept alive.
///
/// The corresponding C type is `GWeakRef`.
final class WeakReference: @unchecked Sendable {  // GObject guards weak references itself.
    private let reference = UnsafeMutablePointer<GWeakRef>.allocate(capacity: 1)

    init(_ object: UnsafeMutableRawPointer) {
        reference.initialize(to: GWeakRef())
        g_weak_ref_init(reference, object)
    }

    deinit {
        g_weak_ref_clear(reference)
        reference.deallocate()
    }

    /// Lends the object; nil when it no longer exists.
    ///
    /// Hold no lock: this may release the last reference.
    @discardableResult
    func lend<R>(_ body: (UnsafeMutableRawPointer) -> R) -> R? {
        guard let object = g_weak_ref_get(reference) else { return nil }
        defer { g_object_unref(object) }
        return body(object)
    }
}
