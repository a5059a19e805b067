import CGStreamer

/// Makes `Element` known to GStreamer as a subclass of `GstElement`.
///
/// May be called again for the same element. The corresponding C function is `gst_element_register`.
public func register<Element: PadElement>(_: Element.Type, in plugin: Plugin) -> Bool {
    PadBlueprintOf<Element>().register(
        Element.self, in: plugin, below: gst_element_get_type(), GstElementClass.self, GstElement.self,
        initClass: { initClass($0, data: $1) }, initInstance: { initInstance($0, of: $1) })
}

// MARK: - Per class

class PadBlueprint: ElementBlueprint, @unchecked Sendable {  // As its parent class.
    var signals: [ElementSignal] { [] }
    /// Makes the Swift half of a new instance; nil only for this class itself, which nobody registers.
    func makeBox(host: ElementHost, sink: Pad, source: Pad) -> PadBox? { nil }
}

private final class PadBlueprintOf<Element: PadElement>: PadBlueprint,
    @unchecked Sendable  // As its parent class.
{
    private let rows = Element.Settings.properties

    init() {
        super.init(Element.self, rows)
    }

    override var signals: [ElementSignal] { Element.signals }

    override func makeBox(host: ElementHost, sink: Pad, source: Pad) -> PadBox? {
        PadBoxOf<Element>(host: host, sink: sink, source: source, rows: rows)
    }
}

// MARK: - Entry points from C

private func initClass(_ gClass: UnsafeMutableRawPointer?, data: UnsafeRawPointer?) {
    guard let gClass, let data else { return }
    let object = gClass.assumingMemoryBound(to: GObjectClass.self)
    object.pointee.set_property = { object, id, value, spec in
        lend(object) { $0.write(id, from: value, in: object, spec) }
    }
    object.pointee.get_property = { object, id, value, spec in
        lend(object) { $0.read(id, into: value, in: object, spec) }
    }
    object.pointee.finalize = { object in
        guard let object else { return }
        InstanceSlot<GstElement>(in: object).release()
        parentClass()?.pointee.parent_class.parent_class.finalize?(object)
    }
    let element = gClass.assumingMemoryBound(to: GstElementClass.self)
    element.pointee.change_state = { changeState(of: $0, $1) }
    element.pointee.post_message = { post($1, from: $0) }

    let blueprint = Unmanaged<PadBlueprint>.fromOpaque(data).takeUnretainedValue()
    blueprint.describe(element)
    for signal in blueprint.signals { signal.install(on: object.pointee.g_type_class.g_type) }
}

private func initInstance(_ instance: UnsafeMutablePointer<GTypeInstance>?, of gClass: UnsafeMutableRawPointer?) {
    guard let instance, let gClass,
        let blueprint = ElementBlueprint.of(gClass.assumingMemoryBound(to: GTypeClass.self).pointee.g_type)
            as? PadBlueprint,
        let sink = makePad("sink", of: gClass), let source = makePad("src", of: gClass),
        let box = blueprint.makeBox(
            host: ElementHost(raw: UnsafeMutableRawPointer(instance)), sink: Pad(raw: sink), source: Pad(raw: source))
    else { return }
    InstanceSlot<GstElement>(in: UnsafeMutableRawPointer(instance)).fill(box)
    let element = UnsafeMutableRawPointer(instance).assumingMemoryBound(to: GstElement.self)
    connectSink(sink)
    connectSource(source)
    for pad in [sink, source] {
        cgst_pad_set_proxy_caps(pad)
        gst_element_add_pad(element, pad)
    }
}

private func makePad(_ name: String, of gClass: UnsafeMutableRawPointer) -> UnsafeMutablePointer<GstPad>? {
    gst_element_class_get_pad_template(gClass.assumingMemoryBound(to: GstElementClass.self), name)
        .flatMap { gst_pad_new_from_template($0, name) }
}

private func connectSink(_ pad: UnsafeMutablePointer<GstPad>) {
    gst_pad_set_chain_function_full(
        pad, { _, element, buffer in lend(element) { $0.receive(Buffer(taking: buffer!)).raw } }, nil, nil)
    gst_pad_set_chain_list_function_full(
        pad, { _, element, list in lend(element) { $0.receive(BufferList(taking: list!)).raw } }, nil, nil)
    gst_pad_set_event_full_function_full(
        pad, { _, element, event in lend(element) { $0.receive(Event(taking: event!)).raw } }, nil, nil)
    gst_pad_set_query_function_full(
        pad,
        { pad, element, query in
            let query = Query(raw: query!)
            guard query.isSerialized else { return gst_pad_query_default(pad, element, query.raw) }
            return lend(element) { $0.answerUpstream(query) ? 1 : 0 }
        }, nil, nil)
    gst_pad_set_activatemode_function_full(
        pad,
        { _, element, mode, isActive in
            guard mode == GST_PAD_MODE_PUSH else { return 0 }
            return lend(element) { $0.activateSink(isActive != 0) ? 1 : 0 }
        }, nil, nil)
}

private func connectSource(_ pad: UnsafeMutablePointer<GstPad>) {
    gst_pad_set_event_function_full(
        pad, { _, element, event in lend(element) { $0.receiveFromDownstream(Event(taking: event!)) ? 1 : 0 } }, nil,
        nil)
    gst_pad_set_query_function_full(
        pad,
        { pad, element, query in
            let query = Query(raw: query!)
            // Who asks to be scheduled hears of this element; all else is answered upstream first.
            if query.kind != .scheduling, gst_pad_query_default(pad, element, query.raw) == 0 { return 0 }
            return lend(element) { $0.answerDownstream(query) ? 1 : 0 }
        }, nil, nil)
    gst_pad_set_activatemode_function_full(
        pad,
        { _, element, mode, isActive in
            guard mode == GST_PAD_MODE_PUSH else { return 0 }
            return lend(element) { $0.activateSource(isActive != 0) ? 1 : 0 }
        }, nil, nil)
}

/// What the source pad's task does; `element` is the instance it belongs to.
func runTask(_ element: UnsafeMutableRawPointer?) {
    lend(element?.assumingMemoryBound(to: GstElement.self)) { $0.runTask() }
}

private func changeState(
    of element: UnsafeMutablePointer<GstElement>?, _ change: GstStateChange
) -> GstStateChangeReturn {
    if change == GST_STATE_CHANGE_READY_TO_PAUSED, !lend(element, { $0.start() }) { return GST_STATE_CHANGE_FAILURE }
    if change == GST_STATE_CHANGE_PLAYING_TO_PAUSED { lend(element) { $0.playingChanged(false) } }
    let result = parentClass()?.pointee.change_state?(element, change) ?? GST_STATE_CHANGE_FAILURE
    switch change {
    case GST_STATE_CHANGE_PAUSED_TO_PLAYING where result != GST_STATE_CHANGE_FAILURE:
        lend(element) { $0.playingChanged(true) }
    // A way down is never refused.
    case GST_STATE_CHANGE_PAUSED_TO_READY: lend(element) { $0.stop() }
    default: break
    }
    return result
}

/// Hears, on the thread itself, when a streaming thread of the element begins and ends.
///
/// GstPad keeps the task's own hooks for these messages, so here is where an element can follow them.
private func post(
    _ message: UnsafeMutablePointer<GstMessage>?, from element: UnsafeMutablePointer<GstElement>?
) -> gboolean {
    var hasLeft = false
    if let message, message.pointee.type == GST_MESSAGE_STREAM_STATUS {
        var status = GST_STREAM_STATUS_TYPE_CREATE
        var owner: UnsafeMutablePointer<GstElement>?
        gst_message_parse_stream_status(message, &status, &owner)
        if owner == element, status == GST_STREAM_STATUS_TYPE_ENTER {
            lend(element) { $0.threadChanged(hasEntered: true) }
        }
        hasLeft = owner == element && status == GST_STREAM_STATUS_TYPE_LEAVE
    }
    let result = parentClass()?.pointee.post_message?(element, message) ?? 0
    if hasLeft { lend(element) { $0.threadChanged(hasEntered: false) } }
    return result
}

private func parentClass() -> UnsafeMutablePointer<GstElementClass>? {
    g_type_class_peek(gst_element_get_type())?.assumingMemoryBound(to: GstElementClass.self)
}

@inline(__always)
private func lend<C, R>(_ instance: UnsafeMutablePointer<C>?, _ body: (PadBox) -> R) -> R {
    // C calls a method on an instance that exists.
    InstanceSlot<GstElement>(in: instance!).lend(PadBox.self, body)
}
