import CGStreamer

/// The C instance of an object that need not be an element.
struct ObjectHost: @unchecked Sendable {  // As `ElementHost`.
    let raw: UnsafeMutableRawPointer
    /// Nil when the object is not an element and has no bus.
    let element: ElementHost?

    init(_ host: ElementHost) {
        raw = host.raw
        element = host
    }

    init(raw: UnsafeMutableRawPointer) {
        self.raw = raw
        element = nil
    }

    /// Whether the object is in use, so that a bad value must be reported at once.
    var isActive: Bool { element?.isActive ?? false }

    func post(warning: ElementError) { element?.post(warning: warning) }

    func notify(_ property: String) { g_object_notify(raw.assumingMemoryBound(to: GObject.self), property) }
}
