import CGStreamer

// The C functions of a pad call the `ConcurrentElement` that is the parent of the pad.

/// Adds the always pads of `E` to a new instance.
func addAlwaysPads<E: ConcurrentElement>(_: E.Type, to host: ElementHost) {
    for template in E.padTemplates where template.presence == .always { _ = host.addPad(template, name: template.name) }
}

extension ElementHost {
    /// Creates a pad of `template`, sets its functions, activates it if the element is active, and adds it.
    ///
    /// Returns nil if a pad of this name exists. The corresponding C functions are `gst_pad_new_from_template` and
    /// `gst_element_add_pad`.
    @discardableResult
    public func addPad(_ template: PadTemplate, name: String?) -> Pad? {
        let elementClass = cgst_class_of(raw)?.assumingMemoryBound(to: GstElementClass.self)
        guard let template = gst_element_class_get_pad_template(elementClass, template.name),
            let pad = gst_pad_new_from_template(template, name)
        else { return nil }
        return add(pad)
    }

    /// Creates a ghost pad for `target`, a pad of an element in this bin, and adds it; with nil, the ghost pad has no
    /// target yet.
    ///
    /// Data passes to the target unless the bin calls `Pad.connect`. The corresponding C function is
    /// `gst_ghost_pad_new_from_template`.
    @discardableResult
    public func addGhostPad(_ template: PadTemplate, name: String? = nil, target: Pad?) -> Pad? {
        let elementClass = cgst_class_of(raw)?.assumingMemoryBound(to: GstElementClass.self)
        guard let found = gst_element_class_get_pad_template(elementClass, template.name) else { return nil }
        let ghost =
            target.map { gst_ghost_pad_new_from_template(name ?? template.name, $0.raw, found) }
            ?? gst_ghost_pad_new_no_target_from_template(name ?? template.name, found)
        guard let ghost, gst_element_add_pad(element, ghost) != 0 else { return nil }
        return Pad(raw: ghost)
    }

    private func add(_ pad: UnsafeMutablePointer<GstPad>) -> Pad? {
        let pad = Pad(raw: pad)
        pad.connect(to: raw)
        // A pad that is added to an active element must be active.
        if isActive { gst_pad_set_active(pad.raw, 1) }
        return gst_element_add_pad(element, pad.raw) != 0 ? pad : nil
    }

    /// Deactivates the pad and removes it; the pad must not be used afterwards.
    ///
    /// The corresponding C function is `gst_element_remove_pad`.
    public func removePad(_ pad: Pad) {
        gst_pad_set_active(pad.raw, 0)
        gst_element_remove_pad(element, pad.raw)
    }

    /// The pad `name`; nil if there is none.
    ///
    /// The corresponding C function is `gst_element_get_static_pad`.
    public func pad(_ name: String) -> Pad? {
        guard let pad = gst_element_get_static_pad(element, name) else { return nil }
        // The element owns a reference.
        gst_object_unref(pad)
        return Pad(raw: pad)
    }

    /// Announces that no further pad with presence `sometimes` will be added.
    ///
    /// The corresponding C function is `gst_element_no_more_pads`.
    public func noMorePads() { gst_element_no_more_pads(element) }
}

extension Pad {
    /// Makes the bin of a ghost pad process the data, events and queries of the pad.
    ///
    /// Call it before the pad is used. Pads of `ElementHost.addPad` are connected already.
    public func connect() { connect(to: nil) }

    /// `element` is the future parent of a pad that has none yet.
    fileprivate func connect(to element: UnsafeMutableRawPointer?) {
        gst_pad_set_query_function_full(raw, { answer($0, $1, $2) }, nil, nil)
        isSink ? connectSink() : connectSource()
        // A ghost pad must keep its activation function, which activates the internal pad.
        guard cgst_is_bin_pad(raw) == 0 else { return }
        gst_pad_set_activatemode_function_full(
            raw,
            { pad, parent, mode, isActive in
                guard mode == GST_PAD_MODE_PUSH, let pad else { return 0 }
                // A pad that is added to an active element is activated before it has a parent.
                let element = parent ?? pad.pointee.activatemodedata?.assumingMemoryBound(to: GstObject.self)
                return owner(element)?.activate(Pad(raw: pad), isActive: isActive != 0) == true ? 1 : 0
            }, element, nil)
    }

    private func connectSink() {
        gst_pad_set_chain_function_full(
            raw,
            { pad, parent, buffer in
                let buffer = Buffer(taking: buffer!)
                guard let pad, let owner = owner(parent) else { return GST_FLOW_FLUSHING }
                return owner.chain(buffer, on: Pad(raw: pad)).raw
            }, nil, nil)
        gst_pad_set_chain_list_function_full(
            raw,
            { pad, parent, list in
                let list = BufferList(taking: list!)
                guard let pad, let owner = owner(parent) else { return GST_FLOW_FLUSHING }
                return owner.chain(list, on: Pad(raw: pad)).raw
            }, nil, nil)
        gst_pad_set_event_full_function_full(
            raw,
            { pad, parent, event in
                let event = Event(taking: event!)
                guard let pad, let owner = owner(parent) else { return GST_FLOW_FLUSHING }
                return owner.sinkEvent(event, on: Pad(raw: pad)).raw
            }, nil, nil)
    }

    private func connectSource() {
        gst_pad_set_event_function_full(
            raw,
            { pad, parent, event in
                let event = Event(taking: event!)
                guard let pad, let owner = owner(parent) else { return 0 }
                return owner.sourceEvent(event, on: Pad(raw: pad)) ? 1 : 0
            }, nil, nil)
    }

    /// Starts the task of the pad, which calls `loop` repeatedly on its thread.
    ///
    /// The corresponding C function is `gst_pad_start_task`.
    public func startTask() -> Bool {
        // The task ends when the pad is deactivated, before the pad is freed.
        gst_pad_start_task(raw, { runTask($0) }, raw, nil) != 0
    }
}

/// The element of a pad; nil if the pad was removed from it.
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
    let (answered, asked) = (Pad(raw: pad), Query(raw: query))
    return (answered.isSink ? owner.sinkQuery(asked, on: answered) : owner.sourceQuery(asked, on: answered)) ? 1 : 0
}

private func runTask(_ data: gpointer?) {
    guard let pad = data?.assumingMemoryBound(to: GstPad.self), let parent = gst_object_get_parent(&pad.pointee.object)
    else { return }
    defer { gst_object_unref(parent) }
    owner(parent)?.loop(on: Pad(raw: pad))
}
