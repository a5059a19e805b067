import CGStreamer

/// Registers `E` as a direct subclass of `GstElement`.
///
/// The same element may be registered again. Returns false if another plugin has registered its type name. The
/// corresponding C function is `gst_element_register`.
public func register<E: ConcurrentElement>(_: E.Type, in plugin: Plugin) -> Bool {
    registerElement(E.self, in: plugin, below: gst_element_get_type()) { raw, type, rows in
        let host = ElementHost(unsafe: raw.assumingMemoryBound(to: GstElement.self))
        for template in E.padTemplates where template.presence == .always {
            _ = host.addPad(template, name: template.name)
        }
        return ElementInstance<E>(raw, type, rows)
    }
}

/// Registers an element of any base class; `initClass` sets the virtual methods that the base class adds.
///
/// `install` adds a pad template to the class, and `addInterfaces` the interfaces that the base class requires.
func registerElement<E: Element & ~Copyable>(
    _: E.Type, in plugin: Plugin, below parent: GType, addInterfaces: (GType) -> Void = { _ in },
    install: @escaping (PadTemplate, UnsafeMutablePointer<GstElementClass>) -> Void = { $0.install(on: $1) },
    initClass: @escaping (UnsafeMutableRawPointer) -> Void = { _ in },
    makeInstance: @escaping (UnsafeMutableRawPointer, ObjectType, [Property<E.Settings>]) -> Instance
) -> Bool {
    let rows = E.Settings.properties
    let type = ObjectType.register(
        E.self, below: parent, rows: rows, addInterfaces: addInterfaces,
        initClass: { gClass in
            let element = gClass.assumingMemoryBound(to: GstElementClass.self)
            E.metadata.install(on: element)
            for template in E.padTemplates { install(template, element) }
            setElementMethods(element)
            initClass(gClass)
        }, makeInstance: { makeInstance($0, $1, rows) })
    guard let type else { return false }
    return gst_element_register(plugin.raw, E.factoryName, E.rank.rawValue, type) != 0
}

// MARK: - Entry points from C

private func setElementMethods(_ element: UnsafeMutablePointer<GstElementClass>) {
    element.pointee.change_state = { element, change in lend(element) { $0.changeState(change) } }
    element.pointee.send_event = { element, event in
        guard let element, let event else { return 0 }
        guard InstanceSlot.peek(element)?.accepts(event) ?? true else {
            gst_event_unref(event)
            return 0
        }
        if let view = view(of: element) { return view.sendEvent(Event(taking: event)) ? 1 : 0 }
        return parentSendEvent(element, Event(taking: event)) ? 1 : 0
    }
    element.pointee.post_message = { post($1, from: $0) }
    element.pointee.request_new_pad = { element, template, name, _ in
        guard let template, let view = view(of: element) else { return nil }
        return view.requestPad(PadTemplate(template), name: name.map { String(cString: $0) })?.raw
    }
    element.pointee.release_pad = { element, pad in
        guard let pad else { return }
        view(of: element)?.releasePad(Pad(retaining: pad))
    }
    element.pointee.provide_clock = { element in
        guard let element else { return nil }
        if let view = view(of: element) { return view.provideClock()?.retainedRaw() }
        return parentClass(of: element)?.pointee.provide_clock?(element)
    }
}

/// Overrides `post_message` to call `streamingThreadChanged` at the start and the end of each streaming thread.
///
/// GstPad uses the enter and leave functions of its task for these messages, so an element cannot set other functions.
private func post(
    _ message: UnsafeMutablePointer<GstMessage>?, from element: UnsafeMutablePointer<GstElement>?
) -> gboolean {
    var hasLeft = false
    if let message, message.pointee.type == GST_MESSAGE_STREAM_STATUS {
        var status = GST_STREAM_STATUS_TYPE_CREATE
        var owner: UnsafeMutablePointer<GstElement>?
        gst_message_parse_stream_status(message, &status, &owner)
        if owner == element, status == GST_STREAM_STATUS_TYPE_ENTER {
            view(of: element)?.streamingThreadChanged(hasEntered: true)
        }
        hasLeft = owner == element && status == GST_STREAM_STATUS_TYPE_LEAVE
    }
    let result = parentClass(of: element)?.pointee.post_message?(element, message) ?? 0
    if hasLeft { view(of: element)?.streamingThreadChanged(hasEntered: false) }
    return result
}

/// The element as a `ConcurrentElement`; nil for an element with serialized methods, and while its `init` runs.
private func view(of element: UnsafeMutablePointer<GstElement>?) -> (any ConcurrentElement)? {
    UnsafeMutableRawPointer(element).flatMap { InstanceSlot.peek($0)?.concurrent }
}

// MARK: - Chaining up

extension GstElement: ClassInstance { typealias Class = GstElementClass }

private func parentSendEvent(_ element: UnsafeMutablePointer<GstElement>, _ event: consuming Event) -> Bool {
    guard let send = parentClass(of: element)?.pointee.send_event else { return false }
    return send(element, event.give()) != 0
}

extension ElementHost {
    /// Chains up to `change_state` of the parent class.
    public func parentChangeState(_ change: StateChange) -> StateChangeResult {
        let result = withUnsafePointer { parentClass(of: $0)?.pointee.change_state?($0, change.raw) } ?? nil
        return StateChangeResult(result ?? GST_STATE_CHANGE_FAILURE)
    }

    /// Chains up to `send_event` of the parent class; false if it does not handle the event.
    public func parentSendEvent(_ event: consuming Event) -> Bool {
        var event: Event? = event
        return withUnsafePointer { GStreamer.parentSendEvent($0, event.take()!) } ?? false
    }

    /// The clock that the parent class provides; nil if there is none.
    public func parentProvideClock() -> ClockReference? {
        withUnsafePointer { parentClass(of: $0)?.pointee.provide_clock?($0).map { ClockReference(taking: $0) } } ?? nil
    }
}
