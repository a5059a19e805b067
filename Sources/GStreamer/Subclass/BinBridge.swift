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
    /// Makes the Swift half of a new instance; nil only for this class itself, which nobody registers.
    func makeBox(host: ElementHost) -> BinBox? { nil }
}

private final class BinBlueprintOf<Element: BinElement>: BinBlueprint,
    @unchecked Sendable  // As its parent class.
{
    private let rows = Element.Settings.properties

    init() {
        super.init(Element.self, rows)
    }

    override var signals: [CapsSignal] { Element.capsSignals }

    override func makeBox(host: ElementHost) -> BinBox? { BinBoxOf<Element>(host: host, rows: rows) }
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
        return lend(element) { $0.sendEvent(Event(taking: event)) } ? 1 : 0
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
    guard let box = blueprint.makeBox(host: host) else { return }
    InstanceSlot<GstBin>(in: UnsafeMutableRawPointer(instance)).fill(box)
}

extension Pad {
    /// Has the bin handle what comes through the pad, which is a ghost pad of it.
    ///
    /// Call it before the pad is used.
    public func connect() {
        guard gst_pad_get_direction(raw) == GST_PAD_SINK else {
            return gst_pad_set_event_function_full(
                raw,
                { pad, bin, event in
                    lend(bin) { $0.sourceEvent(Event(taking: event!), on: Pad(raw: pad!)) } ? 1 : 0
                }, nil, nil)
        }
        gst_pad_set_chain_function_full(
            raw, { pad, bin, buffer in lend(bin) { $0.chain(Buffer(taking: buffer!), on: Pad(raw: pad!)) }.raw }, nil,
            nil)
        gst_pad_set_chain_list_function_full(
            raw,
            { pad, bin, list in
                defer { gst_buffer_list_unref(list) }
                for index in 0..<gst_buffer_list_length(list) {
                    guard let buffer = gst_buffer_list_get(list, index) else { continue }
                    let result = lend(bin) { $0.chain(Buffer(taking: gst_buffer_ref(buffer)), on: Pad(raw: pad!)) }
                    if result != .ok { return result.raw }
                }
                return GST_FLOW_OK
            }, nil, nil)
        gst_pad_set_event_full_function_full(
            raw, { pad, bin, event in lend(bin) { $0.sinkEvent(Event(taking: event!), on: Pad(raw: pad!)) }.raw }, nil,
            nil)
        gst_pad_set_query_function_full(
            raw,
            { pad, bin, query in lend(bin) { $0.sinkQuery(Query(raw: query!), on: Pad(raw: pad!)) } ? 1 : 0 }, nil, nil)
    }
}

extension ElementHost {
    /// Does what `GstBin` does with an event that the application sends.
    public func parentSendEvent(_ event: consuming Event) -> Bool {
        let event = event.give()
        guard let sendEvent = parentClass()?.pointee.send_event else {
            gst_event_unref(event)
            return false
        }
        return sendEvent(element, event) != 0
    }
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
