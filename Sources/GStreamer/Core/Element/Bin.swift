import CGStreamer

/// An element that contains other elements.
///
/// Create the elements in `init`, add them with `ElementHost.add(_:)`, and expose their pads with `addGhostPad`. Data
/// passes through a ghost pad to the element inside; after `Pad.connect` on the ghost pad, the bin handles the data.
///
/// The corresponding C class is `GstBin`.
public protocol Bin: ConcurrentElement {
    /// Handles a message from an element in the bin, on the thread that posts it; the default chains up.
    ///
    /// The corresponding C method is `handle_message`.
    func handleMessage(_ message: consuming Message)
}

extension Bin {
    /// Chains up.
    public func handleMessage(_ message: consuming Message) { host.parentHandleMessage(message) }
}

/// Registers `E` as a subclass of `GstBin`.
///
/// The same element may be registered again. Returns false if another plugin has registered its type name. The
/// corresponding C function is `gst_element_register`.
public func register<E: Bin>(_: E.Type, in plugin: Plugin) -> Bool {
    registerElement(
        E.self, in: plugin, below: gst_bin_get_type(),
        initClass: { gClass in
            gClass.assumingMemoryBound(to: GstBinClass.self).pointee.handle_message = { bin, message in
                guard let bin, let message else { return }
                let view = InstanceSlot.peek(UnsafeMutableRawPointer(bin))?.concurrent as? any Bin
                if let view { return view.handleMessage(Message(taking: message)) }
                parentClass(of: bin)?.pointee.handle_message?(bin, message)
            }
        }, makeInstance: { ElementInstance<E>($0, $1, $2) })
}

extension GstBin: ClassInstance { typealias Class = GstBinClass }

extension ElementHost {
    /// Calls `body` with the bin; returns nil if the bin no longer exists.
    private func withBin<R>(_ body: (UnsafeMutablePointer<GstBin>) -> R) -> R? {
        withUnsafePointer { body(UnsafeMutableRawPointer($0).assumingMemoryBound(to: GstBin.self)) }
    }

    /// Adds an element to this bin, which then keeps it.
    ///
    /// Returns false if the element is in a bin already, or if this bin has an element with the same name. The
    /// corresponding C function is `gst_bin_add`.
    @discardableResult
    public func add(_ element: ElementReference) -> Bool { withBin { gst_bin_add($0, element.raw) != 0 } ?? false }

    /// Removes an element from this bin; returns false if the element is not in this bin.
    ///
    /// The element must be in the state NULL. The corresponding C function is `gst_bin_remove`.
    @discardableResult
    public func remove(_ element: ElementReference) -> Bool {
        withBin { gst_bin_remove($0, element.raw) != 0 } ?? false
    }

    /// Chains up to `handle_message` of `GstBin`, which forwards or aggregates the message.
    public func parentHandleMessage(_ message: consuming Message) {
        let message = message.give()
        let isHandled: Void? = withBin { parentClass(of: $0)?.pointee.handle_message?($0, message) } ?? nil
        if isHandled == nil { gst_message_unref(message) }
    }
}
