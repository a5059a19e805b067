import CGStreamer

/// Makes `Element` known to GStreamer as a subclass of `GstBin`.
///
/// May be called again for the same element. The corresponding C function is `gst_element_register`.
public func register<Element: BinElement>(_: Element.Type, in plugin: Plugin) -> Bool {
    BinBlueprintOf<Element>().register(
        Element.self, in: plugin, below: gst_bin_get_type(), GstBinClass.self, GstBin.self,
        initClass: { initClass($0, data: $1) }, initInstance: { initInstance($0, of: $1) })
}

// MARK: - Per class

class BinBlueprint: ElementBlueprint, @unchecked Sendable {  // As its parent class.
    var signals: [CapsSignal] { [] }
    var scalers: [String] { [] }
    /// Makes the Swift half of a new instance; nil only for this class itself, which nobody registers.
    func makeBox(host: ElementHost, stream: ShapedStream) -> BinBox? { nil }
}

private final class BinBlueprintOf<Element: BinElement>: BinBlueprint,
    @unchecked Sendable  // As its parent class.
{
    private let rows = Element.Settings.properties

    init() {
        super.init(Element.self, rows)
    }

    override var signals: [CapsSignal] { Element.capsSignals }
    override var scalers: [String] { Element.scalers }

    override func makeBox(host: ElementHost, stream: ShapedStream) -> BinBox? {
        BinBoxOf<Element>(host: host, stream: stream, rows: rows)
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
        InstanceSlot<GstBin>(in: object).release()
        UnsafeMutableRawPointer(parentClass())?.assumingMemoryBound(to: GObjectClass.self).pointee.finalize?(object)
    }
    let element = gClass.assumingMemoryBound(to: GstElementClass.self)
    element.pointee.change_state = { changeState(of: $0, $1) }
    element.pointee.send_event = { element, event in
        guard let element, let event else { return 0 }
        if lend(element, { $0.hears(event) }) {
            gst_event_unref(event)
            return 1
        }
        return parentClass()?.pointee.send_event?(element, event) ?? 0
    }

    let blueprint = Unmanaged<BinBlueprint>.fromOpaque(data).takeUnretainedValue()
    blueprint.describe(element)
    for signal in blueprint.signals { signal.install(on: object.pointee.g_type_class.g_type) }
}

private func initInstance(_ instance: UnsafeMutablePointer<GTypeInstance>?, of gClass: UnsafeMutableRawPointer?) {
    guard let instance, let gClass,
        let blueprint = ElementBlueprint.of(gClass.assumingMemoryBound(to: GTypeClass.self).pointee.g_type)
            as? BinBlueprint
    else { return }
    let host = ElementHost(raw: UnsafeMutableRawPointer(instance))
    let elementClass = gClass.assumingMemoryBound(to: GstElementClass.self)
    var scaler: UnsafeMutablePointer<GstElement>?
    for name in blueprint.scalers where scaler == nil { scaler = gst_element_factory_make(name, "scale") }
    if let scaler { gst_bin_add(UnsafeMutableRawPointer(instance).assumingMemoryBound(to: GstBin.self), scaler) }
    guard let sink = ghostPad("sink", of: elementClass, scaler), let source = ghostPad("src", of: elementClass, scaler),
        let box = blueprint.makeBox(
            host: host,
            stream: ShapedStream(
                bin: host, sink: sink, source: source, scaler: scaler.flatMap { inside($0, sink, source) }))
    else { return }
    InstanceSlot<GstBin>(in: UnsafeMutableRawPointer(instance)).fill(box)
    connectSink(sink)
    connectSource(source)
    if let scaler = box.stream.scaler { connectExit(scaler.exit) }
    for pad in [sink, source] { gst_element_add_pad(host.element, pad) }
}

private func ghostPad(
    _ name: String, of elementClass: UnsafeMutablePointer<GstElementClass>, _ scaler: UnsafeMutablePointer<GstElement>?
) -> UnsafeMutablePointer<GstPad>? {
    guard let template = gst_element_class_get_pad_template(elementClass, name) else { return nil }
    guard let target = scaler.flatMap({ gst_element_get_static_pad($0, name) }) else {
        return gst_ghost_pad_new_no_target_from_template(name, template)
    }
    defer { gst_object_unref(target) }
    return gst_ghost_pad_new_from_template(name, target, template)
}

/// The pads around the scaler; they live as long as the bin does.
private func inside(
    _ element: UnsafeMutablePointer<GstElement>, _ sink: UnsafeMutablePointer<GstPad>,
    _ source: UnsafeMutablePointer<GstPad>
) -> ShapedStream.Scaler? {
    func internalPad(_ pad: UnsafeMutablePointer<GstPad>) -> UnsafeMutablePointer<GstPad>? {
        guard
            let proxy = gst_proxy_pad_get_internal(
                UnsafeMutableRawPointer(pad).assumingMemoryBound(to: GstProxyPad.self))
        else { return nil }
        gst_object_unref(proxy)
        return UnsafeMutableRawPointer(proxy).assumingMemoryBound(to: GstPad.self)
    }
    func staticPad(_ name: String) -> UnsafeMutablePointer<GstPad>? {
        guard let pad = gst_element_get_static_pad(element, name) else { return nil }
        gst_object_unref(pad)
        return pad
    }
    guard let entrance = internalPad(sink), let exit = internalPad(source), let first = staticPad("sink"),
        let last = staticPad("src")
    else { return nil }
    return ShapedStream.Scaler(element: element, sink: first, source: last, entrance: entrance, exit: exit)
}

private func connectSink(_ pad: UnsafeMutablePointer<GstPad>) {
    gst_pad_set_chain_function_full(
        pad, { _, bin, buffer in lend(bin) { $0.stream.receive(buffer!, $0) } }, nil, nil)
    // A list is judged frame by frame.
    gst_pad_set_chain_list_function_full(
        pad,
        { _, bin, list in
            defer { gst_buffer_list_unref(list) }
            for index in 0..<gst_buffer_list_length(list) {
                guard let buffer = gst_buffer_list_get(list, index) else { continue }
                let result = lend(bin) { $0.stream.receive(gst_buffer_ref(buffer), $0) }
                if result != GST_FLOW_OK { return result }
            }
            return GST_FLOW_OK
        }, nil, nil)
    gst_pad_set_event_function_full(
        pad,
        { pad, bin, event in
            guard let event else { return 0 }
            switch event.pointee.type {
            case GST_EVENT_CAPS:
                var caps: UnsafeMutablePointer<GstCaps>?
                gst_event_parse_caps(event, &caps)
                guard let caps else { break }
                gst_caps_ref(caps)
                gst_event_unref(event)
                return lend(bin) { $0.stream.reshape(caps, $0, isNew: true) ? 1 : 0 }
            case GST_EVENT_FLUSH_STOP, GST_EVENT_SEGMENT: lend(bin) { $0.timeRestarted() }
            default: break
            }
            return gst_pad_event_default(pad, bin, event)
        }, nil, nil)
    gst_pad_set_query_function_full(
        pad,
        { pad, bin, query in
            guard let query, query.pointee.type == GST_QUERY_CAPS else {
                return gst_pad_query_default(pad, bin, query)
            }
            return lend(bin) { $0.answerUpstream(query, pad, bin) }
        }, nil, nil)
}

private func connectSource(_ pad: UnsafeMutablePointer<GstPad>) {
    gst_pad_set_event_function_full(
        pad,
        { pad, bin, event in
            guard let event else { return 0 }
            if lend(bin, { $0.hears(event) }) {
                gst_event_unref(event)
                return 1
            }
            if event.pointee.type == GST_EVENT_RECONFIGURE { lend(bin) { $0.stream.requestReshape() } }
            return gst_pad_event_default(pad, bin, event)
        }, nil, nil)
}

/// The pad behind the scaler belongs to the bin's source pad, and that to the bin.
private func connectExit(_ pad: UnsafeMutablePointer<GstPad>) {
    gst_pad_set_query_function_full(
        pad,
        { pad, ghost, query in
            if let query, query.pointee.type == GST_QUERY_CAPS, let ghost, let bin = gst_object_get_parent(ghost) {
                defer { gst_object_unref(bin) }
                if lend(bin, { $0.stream.answerScaler(query) }) { return 1 }
            }
            return gst_pad_query_default(pad, ghost, query)
        }, nil, nil)
}

private func changeState(
    of element: UnsafeMutablePointer<GstElement>?, _ change: GstStateChange
) -> GstStateChangeReturn {
    if change == GST_STATE_CHANGE_READY_TO_PAUSED, !lend(element, { $0.start() }) { return GST_STATE_CHANGE_FAILURE }
    if change == GST_STATE_CHANGE_PAUSED_TO_READY { lend(element) { $0.beginStop() } }
    let result = parentClass()?.pointee.change_state?(element, change) ?? GST_STATE_CHANGE_FAILURE
    let hasFailed = change == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE
    // A way down is never refused.
    if change == GST_STATE_CHANGE_PAUSED_TO_READY || hasFailed {
        lend(element) { box in
            if hasFailed { box.beginStop() }
            box.stop()
            box.stream.reset()
        }
    }
    return result
}

private func parentClass() -> UnsafeMutablePointer<GstElementClass>? {
    g_type_class_peek(gst_bin_get_type())?.assumingMemoryBound(to: GstElementClass.self)
}

@inline(__always)
private func lend<C, R>(_ instance: UnsafeMutablePointer<C>?, _ body: (BinBox) -> R) -> R {
    // C calls a method on an instance that exists.
    InstanceSlot<GstBin>(in: instance!).lend(BinBox.self, body)
}
