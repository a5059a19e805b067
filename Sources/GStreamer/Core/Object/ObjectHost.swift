import CGStreamer

/// A weak reference to a C instance, which may be an element.
struct ObjectHost: Sendable {
    private let reference: WeakReference
    /// The element; nil for other objects, which have no bus.
    let element: ElementHost?

    init(_ host: ElementHost) {
        reference = host.reference
        element = host
    }

    init(raw: UnsafeMutableRawPointer) {
        reference = WeakReference(raw)
        element = nil
    }

    /// Whether the object is an active element, whose errors are posted immediately; false for other objects.
    var isActive: Bool { element?.isActive ?? false }

    func post(warning: ElementError) { element?.post(warning: warning) }

    func notify(_ property: String) {
        reference.lend { g_object_notify($0.assumingMemoryBound(to: GObject.self), property) }
    }
}
