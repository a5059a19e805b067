import CGStreamer

/// A weak reference to a GObject.
///
/// The corresponding C type is `GWeakRef`.
final class WeakReference: @unchecked Sendable {  // GWeakRef is thread-safe.
    private let reference = UnsafeMutablePointer<GWeakRef>.allocate(capacity: 1)

    init(_ object: UnsafeMutableRawPointer) {
        reference.initialize(to: GWeakRef())
        g_weak_ref_init(reference, object)
    }

    deinit {
        g_weak_ref_clear(reference)
        reference.deallocate()
    }

    /// Calls `body` with the object; returns nil if it no longer exists.
    ///
    /// Call it without a mutex locked, because it may release the last reference.
    @discardableResult
    func lend<R>(_ body: (UnsafeMutableRawPointer) -> R) -> R? {
        guard let object = g_weak_ref_get(reference) else { return nil }
        defer { g_object_unref(object) }
        return body(object)
    }
}
