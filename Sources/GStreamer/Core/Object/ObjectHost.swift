import CGStreamer

/// The C instance of an object, which may be an element.
struct ObjectHost: @unchecked Sendable {  // As `ElementHost`.
    let raw: UnsafeMutableRawPointer
    /// The element; nil if the object is not an element and so has no bus.
    let element: ElementHost?

    init(_ host: ElementHost) {
        raw = host.raw
        element = host
    }

    init(raw: UnsafeMutableRawPointer) {
        self.raw = raw
        element = nil
    }

    /// Whether the object is in use, so that an invalid value must be reported immediately.
    var isActive: Bool { element?.isActive ?? false }

    func post(warning: ElementError) { element?.post(warning: warning) }

    func notify(_ property: String) { g_object_notify(raw.assumingMemoryBound(to: GObject.self), property) }
}
