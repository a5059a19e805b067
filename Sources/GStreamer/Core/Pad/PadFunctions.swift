import CGStreamer

// The C functions of a pad call the `ConcurrentElement` that is the parent of the pad.

extension ElementHost {
    /// Creates a pad of `template`, sets the pad functions, activates the pad in an active element, and adds it.
    ///
    /// Returns nil if a pad of this name exists, or if the class has no such template. The corresponding C functions
    /// are `gst_pad_new_from_template` and `gst_element_add_pad`.
    @discardableResult
    public func addPad(_ template: PadTemplate, name: String?) -> Pad? {
        withUnsafePointer { element -> Pad? in
            guard let template = Self.cTemplate(template, of: element),
                let raw = gst_pad_new_from_template(template, name)
            else { return nil }
            let pad = Pad(
                taking: UnsafeMutableRawPointer(gst_object_ref_sink(raw)).assumingMemoryBound(to: GstPad.self))
            pad.connect(to: element)
            // A pad that is added to an active element must be active.
            if cgst_element_is_active(element) != 0 { gst_pad_set_active(raw, 1) }
            guard gst_element_add_pad(element, raw) != 0 else { return nil }
            return pad
        } ?? nil
    }

    private static func cTemplate(
        _ template: PadTemplate, of element: UnsafeMutablePointer<GstElement>
    ) -> UnsafeMutablePointer<GstPadTemplate>? {
        gst_element_class_get_pad_template(
            cgst_class_of(element)?.assumingMemoryBound(to: GstElementClass.self), template.name)
    }

    /// Creates and adds a ghost pad for `target`, a pad of an element in this bin; nil creates a pad without a target.
    ///
    /// Data passes to the target unless the bin calls `Pad.connect`. Returns nil if the bin has a pad with the same
    /// name. The corresponding C function is `gst_ghost_pad_new_from_template`.
    @discardableResult
    public func addGhostPad(_ template: PadTemplate, name: String? = nil, target: borrowing Pad?) -> Pad? {
        let target =
            switch target {
            case .some(let pad): Optional(pad.raw)
            case .none: nil as UnsafeMutablePointer<GstPad>?
            }
        return withUnsafePointer { element -> Pad? in
            guard let found = Self.cTemplate(template, of: element) else { return nil }
            let ghost =
                target.map { gst_ghost_pad_new_from_template(name ?? template.name, $0, found) }
                ?? gst_ghost_pad_new_no_target_from_template(name ?? template.name, found)
            guard let ghost else { return nil }
            let pad = Pad(
                taking: UnsafeMutableRawPointer(gst_object_ref_sink(ghost)).assumingMemoryBound(to: GstPad.self))
            guard gst_element_add_pad(element, ghost) != 0 else { return nil }
            return pad
        } ?? nil
    }

    /// Deactivates the pad and removes it from the element.
    ///
    /// The corresponding C function is `gst_element_remove_pad`.
    public func removePad(_ pad: borrowing Pad) {
        let pad = pad.raw
        gst_pad_set_active(pad, 0)
        withUnsafePointer { _ = gst_element_remove_pad($0, pad) }
    }

    /// The pad `name`; nil if there is none.
    ///
    /// The corresponding C function is `gst_element_get_static_pad`.
    public func pad(_ name: String) -> Pad? {
        withUnsafePointer { gst_element_get_static_pad($0, name).map { Pad(taking: $0) } } ?? nil
    }

    /// Announces that no further pad with presence `sometimes` will be added.
    ///
    /// The corresponding C function is `gst_element_no_more_pads`.
    public func noMorePads() { withUnsafePointer { gst_element_no_more_pads($0) } }
}

extension Pad {
    /// Makes the bin of a ghost pad process the data, events and queries of the pad.
    ///
    /// Call this before the pad is used. Pads of `ElementHost.addPad` are connected already.
    public func connect() { connect(to: nil) }

    /// Sets the pad functions; `element` is the future parent of a pad that has no parent yet.
    fileprivate func connect(to element: UnsafeMutablePointer<GstElement>?) {
        gst_pad_set_query_function_full(raw, { answer($0, $1, $2) }, nil, nil)
        isSink ? connectSink() : connectSource()
        // A ghost pad must keep its own activation function, because that function activates the internal pad.
        guard cgst_is_bin_pad(raw) == 0 else { return }
        gst_pad_set_activatemode_function_full(
            raw,
            { pad, parent, mode, isActive in
                guard mode == GST_PAD_MODE_PUSH, let pad else { return 0 }
                // A pad that is added to an active element is activated before it has a parent.
                let element = parent ?? pad.pointee.activatemodedata?.assumingMemoryBound(to: GstObject.self)
                return owner(element)?.activate(Pad(retaining: pad), isActive: isActive != 0) == true ? 1 : 0
            }, element, nil)
    }

    private func connectSink() {
        gst_pad_set_chain_function_full(
            raw,
            { pad, parent, buffer in
                let buffer = Buffer(taking: buffer!)
                guard let pad, let owner = owner(parent) else { return GST_FLOW_FLUSHING }
                let lent = Pad(taking: pad, calling: parent)
                let result = owner.chain(buffer, on: lent)
                lent.giveBack()
                return result.raw
            }, nil, nil)
        gst_pad_set_chain_list_function_full(
            raw,
            { pad, parent, list in
                let list = BufferList(taking: list!)
                guard let pad, let owner = owner(parent) else { return GST_FLOW_FLUSHING }
                return owner.chain(list, on: Pad(retaining: pad, calling: parent)).raw
            }, nil, nil)
        gst_pad_set_event_full_function_full(
            raw,
            { pad, parent, event in
                let event = Event(taking: event!)
                guard let pad, let owner = owner(parent) else { return GST_FLOW_FLUSHING }
                return owner.sinkEvent(event, on: Pad(retaining: pad)).raw
            }, nil, nil)
    }

    private func connectSource() {
        gst_pad_set_event_function_full(
            raw,
            { pad, parent, event in
                let event = Event(taking: event!)
                guard let pad, let owner = owner(parent) else { return 0 }
                return owner.sourceEvent(event, on: Pad(retaining: pad)) ? 1 : 0
            }, nil, nil)
    }

    /// Starts the task of the pad; the task calls `loop` repeatedly on its own thread.
    ///
    /// Returns false if the task cannot start. The corresponding C function is `gst_pad_start_task`.
    public func startTask() -> Bool {
        // The pointer stays valid: the task ends when the pad is deactivated, before the pad is freed.
        gst_pad_start_task(raw, { runTask($0) }, raw, nil) != 0
    }
}

/// The element of a pad; nil if the pad was removed from the element.
@inline(__always)
private func owner(_ parent: UnsafeMutablePointer<GstObject>?) -> (any ConcurrentElement)? {
    guard let parent else { return nil }
    return lend(parent) { $0.concurrent }
}

private func answer(
    _ pad: UnsafeMutablePointer<GstPad>?, _ parent: UnsafeMutablePointer<GstObject>?,
    _ query: UnsafeMutablePointer<GstQuery>?
) -> gboolean {
    guard let pad, let query, let owner = owner(parent) else { return 0 }
    let answered = Pad(retaining: pad)
    let asked = Query(lending: query)
    return (answered.isSink ? owner.sinkQuery(asked, on: answered) : owner.sourceQuery(asked, on: answered)) ? 1 : 0
}

private func runTask(_ data: gpointer?) {
    guard let pad = data?.assumingMemoryBound(to: GstPad.self), let parent = gst_object_get_parent(&pad.pointee.object)
    else { return }
    defer { gst_object_unref(parent) }
    owner(parent)?.loop(on: Pad(retaining: pad, calling: parent))
}
