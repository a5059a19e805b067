import CGStreamer

/// Registers `E` as a subclass of `GstBaseTransform`.
///
/// The same element may be registered again. Returns false if another plugin has registered its type name. The
/// corresponding C function is `gst_element_register`.
public func register<E: BaseTransform & ~Copyable>(_: E.Type, in plugin: Plugin) -> Bool {
    registerBaseTransform(E.self, in: plugin)
}

/// Registers `E`, which is also a `ConcurrentElement`, as a subclass of `GstBaseTransform`.
///
/// The same element may be registered again. Returns false if another plugin has registered its type name. The
/// corresponding C function is `gst_element_register`.
public func register<E: BaseTransform & ConcurrentElement>(_: E.Type, in plugin: Plugin) -> Bool {
    registerBaseTransform(E.self, in: plugin)
}

private func registerBaseTransform<E: BaseTransform & ~Copyable>(_: E.Type, in plugin: Plugin) -> Bool {
    registerElement(
        E.self, in: plugin, below: gst_base_transform_get_type(),
        initClass: { setBaseTransformMethods($0, passthroughOnSameCaps: E.passthroughOnSameCaps) },
        makeInstance: { BaseTransformInstance<E>($0, $1, $2) })
}

extension GstBaseTransform: ClassInstance { typealias Class = GstBaseTransformClass }

/// The Swift object of a `GstBaseTransform`.
class BaseTransformInstance<E: BaseTransform & ~Copyable>: ElementInstance<E> {
    /// The settings for the current buffer; constant while the buffer is processed.
    final var settings = E.Settings()

    final override var startsWithState: Bool { false }

    final override func changeState(_ change: GstStateChange) -> GstStateChangeReturn {
        // A waiting streaming thread holds the stream lock, and must return before the pads can be deactivated.
        if change == GST_STATE_CHANGE_PAUSED_TO_READY { flush(true) }
        if change == GST_STATE_CHANGE_READY_TO_PAUSED { flush(false) }
        return super.changeState(change)
    }

    final override func flush(_ isFlushing: Bool) { E.flush(isFlushing, store.report) }

    final override func sinkEvent(_ event: consuming Event) -> Event? { element.sinkEvent(event) }

    final override func sourceEvent(_ event: borrowing Event) -> Bool { E.sourceEvent(event, store.report) }

    override func setCaps(_ caps: Caps) -> Bool {
        succeeds { () throws(FlowResult) in try element.setCaps(caps) }
    }

    final override func proposeAllocation(_ query: borrowing AllocationQuery) -> Bool {
        element.proposeAllocation(query)
    }

    final override func submit(_ buffer: RawBuffer) -> (GstFlowReturn, RawBuffer?) {
        flow { () throws(FlowResult) in try element.submitInput(Buffer(taking: buffer)) }
    }

    /// Copies the settings, and updates the passthrough flag of the base class from them.
    ///
    /// GstBaseTransform reads the flag several times per buffer. If the flag changed in between, `transform_ip` would
    /// receive a buffer that was not made writable. Therefore the flag changes only here, on the streaming thread
    /// before each buffer. No renegotiation is needed, because an in-place transform owns no pool.
    final override func beforeTransform(_ transform: UnsafeMutablePointer<GstBaseTransform>) {
        settings = store.settings
        let isPassthrough = E.isPassthrough(settings)
        if (gst_base_transform_is_passthrough(transform) != 0) != isPassthrough {
            gst_base_transform_set_passthrough(transform, isPassthrough ? 1 : 0)
        }
        element.beforeTransform(isPassthrough: isPassthrough)
    }

    final override func transform(_ buffer: RawBuffer) -> GstFlowReturn {
        flow { () throws(FlowResult) in try element.transform(WritableBuffer(buffer), settings) }
    }
}

/// Sets the methods of a direct or indirect subclass of `GstBaseTransform`.
func setBaseTransformMethods(_ gClass: UnsafeMutableRawPointer, passthroughOnSameCaps: Bool) {
    let transform = gClass.assumingMemoryBound(to: GstBaseTransformClass.self)
    transform.pointee.transform_ip_on_passthrough = 0
    transform.pointee.start = { lend($0) { $0.start() } }
    transform.pointee.stop = { perform($0) { $0.stop() } }
    transform.pointee.set_caps = { transform, input, output in
        guard lend(transform, input, else: false, { $0.setCaps(Caps($1)) }) else { return 0 }
        return parentClass(of: transform)?.pointee.set_caps?(transform, input, output) ?? 1
    }
    transform.pointee.propose_allocation = { transform, decided, query in
        // The base class answers first, because the element adds to that answer. The base class may fail.
        let isAnswered = parentClass(of: transform)?.pointee.propose_allocation?(transform, decided, query) ?? 0
        return lend(transform, query) { $0.proposeAllocation(AllocationQuery($1)) } | isAnswered
    }
    transform.pointee.submit_input_buffer = { transform, isDiscontinuous, buffer in
        let (result, goesOn) = lend(transform, buffer, else: (GST_FLOW_ERROR, nil)) { $0.submit($1) }
        guard let goesOn, let submit = parentClass(of: transform)?.pointee.submit_input_buffer else { return result }
        return submit(transform, isDiscontinuous, goesOn)
    }
    transform.pointee.sink_event = { transform, event in
        guard let event else { return 0 }
        let isStart = event.pointee.type == GST_EVENT_FLUSH_START
        if isStart || event.pointee.type == GST_EVENT_FLUSH_STOP { lend(transform) { $0.flush(isStart) } }
        guard let event = filtered(event, by: transform) else { return 1 }
        return parentClass(of: transform)?.pointee.sink_event?(transform, event) ?? 0
    }
    transform.pointee.src_event = { transform, event in
        guard let event else { return 0 }
        // The base class takes ownership of one reference, and `Event` releases another one.
        let continues: Bool = lend(transform) { $0.sourceEvent(Event(taking: gst_event_ref(event))) }
        guard continues else {
            gst_event_unref(event)
            return 1
        }
        return parentClass(of: transform)?.pointee.src_event?(transform, event) ?? 0
    }
    // Without `transform_ip`, GstBaseTransform also passes buffers before caps are negotiated.
    guard !passthroughOnSameCaps else { return transform.pointee.passthrough_on_same_caps = 1 }
    transform.pointee.transform_ip =
        transform.pointee.transform_ip ?? { lend($0, $1, else: GST_FLOW_ERROR) { $0.transform($1) } }
    transform.pointee.before_transform = { transform, buffer in
        guard let transform, let buffer else { return }
        syncControlledProperties(of: transform, &transform.pointee.segment, at: buffer)
        lend(transform) { $0.beforeTransform(transform) }
    }
}

/// The event for the base class (transfer full for argument and result); nil if the element drops the event.
private func filtered(
    _ event: UnsafeMutablePointer<GstEvent>, by transform: UnsafeMutablePointer<GstBaseTransform>?
) -> UnsafeMutablePointer<GstEvent>? {
    guard cgst_event_is_serialized(event) != 0 else { return event }
    return lend(transform) { $0.sinkEvent(Event(taking: event))?.give() }
}

/// Sets properties with control bindings to their values at the stream time of `buffer`.
///
/// The corresponding C function is `gst_object_sync_values`.
func syncControlledProperties<C>(
    of instance: UnsafeMutablePointer<C>, _ segment: UnsafePointer<GstSegment>,
    at buffer: UnsafeMutablePointer<GstBuffer>
) {
    let object = UnsafeMutableRawPointer(instance).assumingMemoryBound(to: GstObject.self)
    // There is no stream time before the first TIME segment.
    guard gst_object_has_active_control_bindings(object) != 0, segment.pointee.format == GST_FORMAT_TIME else { return }
    let time = gst_segment_to_stream_time(segment, GST_FORMAT_TIME, guint64(buffer.pointee.pts))
    guard UInt64(time) != .max else { return }
    gst_object_sync_values(object, GstClockTime(time))
}
