import CGStreamer

/// Makes `Element` known to GStreamer as a subclass of `GstBaseTransform`.
///
/// May be called again for the same element. The corresponding C function is `gst_element_register`.
public func register<Element: TransformElement & ~Copyable>(_: Element.Type, in plugin: Plugin) -> Bool {
    let blueprint = TransformBlueprintOf<Element>()
    let type = blueprint.makeType(
        Element.typeName, parent: gst_base_transform_get_type(), interfaces: Element.interfaces
    ) { info in
        info.class_size = guint16(MemoryLayout<GstBaseTransformClass>.stride)
        info.class_init = { initClass($0, data: $1) }
        info.instance_size = InstanceSlot<GstBaseTransform>.instanceSize
        info.instance_init = { initInstance($0, of: $1) }
    }
    guard let type else { return false }
    return gst_element_register(plugin.raw, Element.factoryName, guint(GST_RANK_NONE.rawValue), type) != 0
}

// MARK: - Per class

class TransformBlueprint: ElementBlueprint, @unchecked Sendable {  // As its parent class.
    /// Makes the Swift half of a new instance; nil only for this class itself, which nobody registers.
    func makeBox(host: ElementHost) -> TransformBox? { nil }
}

private final class TransformBlueprintOf<Element: TransformElement & ~Copyable>: TransformBlueprint,
    @unchecked Sendable  // As its parent class.
{
    private let rows = Element.Settings.properties

    init() {
        super.init(metadata: Element.metadata, padTemplates: Element.padTemplates, properties: rows)
    }

    override func makeBox(host: ElementHost) -> TransformBox? { TransformBoxOf<Element>(host: host, rows: rows) }
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
    object.pointee.finalize = { finalize($0) }

    let element = gClass.assumingMemoryBound(to: GstElementClass.self)
    element.pointee.change_state = { changeState($0, $1) }

    let transform = gClass.assumingMemoryBound(to: GstBaseTransformClass.self)
    transform.pointee.passthrough_on_same_caps = 1
    transform.pointee.transform_ip_on_passthrough = 0
    transform.pointee.start = { transform in lend(transform) { $0.start() ? 1 : 0 } }
    transform.pointee.stop = { transform in
        lend(transform) { $0.stop() }
        return 1
    }
    transform.pointee.set_caps = { transform, input, _ in
        guard let input else { return 0 }
        return lend(transform) { $0.configure(input) ? 1 : 0 }
    }
    transform.pointee.propose_allocation = { transform, _, query in
        guard let transform, let query else { return 0 }
        // Downstream first: what it asks for is part of the answer. It need not answer at all.
        let isAnswered = gst_pad_peer_query(transform.pointee.srcpad, query)
        return lend(transform) { $0.allocationAsked(query) } ? 1 : isAnswered
    }
    transform.pointee.submit_input_buffer = { transform, isDiscontinuous, buffer in
        guard let transform, let buffer else { return GST_FLOW_ERROR }
        let (result, goesOn) = lend(transform) { $0.process(buffer) }
        guard let goesOn else { return result }
        return cgst_transform_submit(transform, isDiscontinuous, goesOn)
    }
    transform.pointee.sink_event = { sinkEvent($0, $1) }

    Unmanaged<TransformBlueprint>.fromOpaque(data).takeUnretainedValue()
        .describe(gClass.assumingMemoryBound(to: GstElementClass.self))
}

private func initInstance(_ instance: UnsafeMutablePointer<GTypeInstance>?, of gClass: UnsafeMutableRawPointer?) {
    guard let instance, let gClass,
        let blueprint = ElementBlueprint.of(gClass.assumingMemoryBound(to: GTypeClass.self).pointee.g_type)
            as? TransformBlueprint,
        let box = blueprint.makeBox(host: ElementHost(raw: UnsafeMutableRawPointer(instance)))
    else { return }
    InstanceSlot<GstBaseTransform>(in: UnsafeMutableRawPointer(instance)).fill(box)
    gst_base_transform_set_passthrough(
        UnsafeMutableRawPointer(instance).assumingMemoryBound(to: GstBaseTransform.self), 1)
}

private func finalize(_ object: UnsafeMutablePointer<GObject>?) {
    guard let object else { return }
    InstanceSlot<GstBaseTransform>(in: object).release()
    UnsafeMutableRawPointer(parentClass)?.assumingMemoryBound(to: GObjectClass.self).pointee.finalize?(object)
}

private func sinkEvent(
    _ transform: UnsafeMutablePointer<GstBaseTransform>?, _ event: UnsafeMutablePointer<GstEvent>?
) -> gboolean {
    guard let transform, let event else { return 0 }
    switch event.pointee.type {
    case GST_EVENT_FLUSH_START: lend(transform) { $0.flush(true) }
    case GST_EVENT_FLUSH_STOP: lend(transform) { $0.flush(false) }
    default: break
    }
    return parentClass?.pointee.sink_event?(transform, event) ?? 0
}

private func changeState(
    _ element: UnsafeMutablePointer<GstElement>?, _ change: GstStateChange
) -> GstStateChangeReturn {
    guard let element else { return GST_STATE_CHANGE_FAILURE }
    // A streaming thread that waits holds the lock which the pads need to stop.
    if change == GST_STATE_CHANGE_PAUSED_TO_READY { lend(element) { $0.flush(true) } }
    if change == GST_STATE_CHANGE_READY_TO_PAUSED { lend(element) { $0.flush(false) } }
    return UnsafeMutableRawPointer(parentClass)?.assumingMemoryBound(to: GstElementClass.self)
        .pointee.change_state?(element, change) ?? GST_STATE_CHANGE_FAILURE
}

private var parentClass: UnsafeMutablePointer<GstBaseTransformClass>? {
    g_type_class_peek(gst_base_transform_get_type())?.assumingMemoryBound(to: GstBaseTransformClass.self)
}

@inline(__always)
private func lend<C, R>(_ instance: UnsafeMutablePointer<C>?, _ body: (TransformBox) -> R) -> R {
    // C calls a method on an instance that exists.
    InstanceSlot<GstBaseTransform>(in: instance!).lend(TransformBox.self, body)
}
