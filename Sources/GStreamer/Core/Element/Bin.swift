import CGStreamer

/// An element that contains elements.
///
/// Make the elements inside in `init`, with `ElementHost.add(_:)`, and show their pads with `addGhostPad`. Data passes
/// between the pads and the elements inside; `Pad.connect` lets the bin handle what comes through one of its pads.
///
/// The corresponding C class is `GstBin`.
public protocol Bin: ConcurrentElement {
    /// Handles a message that an element inside has posted, on the thread that posts it; the default chains up.
    ///
    /// The corresponding C method is `handle_message`.
    func handleMessage(_ message: consuming Message)
}

extension Bin {
    /// Chains up.
    public func handleMessage(_ message: consuming Message) { host.parentHandleMessage(message) }
}

/// Makes `E` known to GStreamer as a subclass of `GstBin`.
///
/// May be called again for the same element. The corresponding C function is `gst_element_register`.
public func register<E: Bin>(_: E.Type, in plugin: Plugin) -> Bool {
    registerElement(
        E.self, in: plugin, below: gst_bin_get_type(),
        initClass: { gClass in
            gClass.assumingMemoryBound(to: GstBinClass.self).pointee.handle_message = { bin, message in
                guard let bin, let message else { return }
                let view = InstanceSlot.peek(UnsafeMutableRawPointer(bin))?.concurrent as? any Bin
                let taken = Message(taking: message)
                guard let view else {
                    return ElementHost(raw: UnsafeMutableRawPointer(bin)).parentHandleMessage(taken)
                }
                view.handleMessage(taken)
            }
        }, makeInstance: { ElementInstance<E>($0, $1, $2) })
}

extension ElementHost {
    private var bin: UnsafeMutablePointer<GstBin> { raw.assumingMemoryBound(to: GstBin.self) }

    /// Adds an element to this bin, which owns it from then on.
    ///
    /// The corresponding C function is `gst_bin_add`.
    @discardableResult
    public func add(_ element: ElementReference) -> Bool { gst_bin_add(bin, element.raw) != 0 }

    /// Takes an element out of this bin, which must be in the state NULL.
    ///
    /// The corresponding C function is `gst_bin_remove`.
    @discardableResult
    public func remove(_ element: ElementReference) -> Bool { gst_bin_remove(bin, element.raw) != 0 }

    /// Does what `GstBin` does with a message: forwards it to the application, or gathers it from all sinks.
    public func parentHandleMessage(_ message: consuming Message) {
        parentClass(of: bin, GstBinClass.self)?.pointee.handle_message?(bin, message.give())
    }
}
