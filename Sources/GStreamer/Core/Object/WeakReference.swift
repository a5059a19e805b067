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

    /// Calls `body` with the object; returns nil if the object no longer exists.
    ///
    /// The call may release the last reference to the object, so the caller must hold no mutex.
    @discardableResult
    func lend<R: ~Copyable>(_ body: (UnsafeMutableRawPointer) throws -> R) rethrows -> R? {
        guard let object = g_weak_ref_get(reference) else { return nil }
        defer { g_object_unref(object) }
        return try body(object)
    }
}

/// The name of a C instance of a subclass of `GstObject`.
func name(of object: UnsafeMutableRawPointer) -> String {
    guard let name = gst_object_get_name(object.assumingMemoryBound(to: GstObject.self)) else { return "" }
    defer { g_free(name) }
    return String(cString: name)
}
