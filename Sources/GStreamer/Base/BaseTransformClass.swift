import CGStreamer

/// Registers `E` as a subclass of `GstBaseTransform`.
///
/// May be called again for the same element. The corresponding C function is `gst_element_register`.
public func register<E: BaseTransform & ~Copyable>(_: E.Type, in plugin: Plugin) -> Bool {
    registerElement(
        E.self, in: plugin, below: gst_base_transform_get_type(), initClass: { setBaseTransformMethods($0, E.mode) }
    ) { raw, type, rows in
        let transform = raw.assumingMemoryBound(to: GstBaseTransform.self)
        if E.mode == .passthrough { gst_base_transform_set_passthrough(transform, 1) }
        return BaseTransformInstance<E>(raw, type, rows)
    }
}

/// Sets the methods of `GstBaseTransform`, for the class itself and for those that inherit from it.
func setBaseTransformMethods(_ gClass: UnsafeMutableRawPointer, _ mode: TransformMode) {
    let transform = gClass.assumingMemoryBound(to: GstBaseTransformClass.self)
    transform.pointee.transform_ip_on_passthrough = 0
    transform.pointee.start = { transform in lend(transform) { $0.start() ? 1 : 0 } }
    transform.pointee.stop = { transform in
        lend(transform) { $0.stop() }
        return 1
    }
    transform.pointee.set_caps = { transform, input, output in
        guard let input, lend(transform, { $0.setCaps(input) }) else { return 0 }
        return parentClass(of: transform, GstBaseTransformClass.self)?.pointee.set_caps?(transform, input, output) ?? 1
    }
    transform.pointee.propose_allocation = { transform, decided, query in
        guard let query else { return 0 }
        // The answer of downstream comes first, because the element adds to it. The query to downstream may fail.
        let isAnswered =
            parentClass(of: transform, GstBaseTransformClass.self)?.pointee.propose_allocation?(
                transform, decided, query) ?? 0
        return lend(transform) { $0.proposeAllocation(query) } ? 1 : isAnswered
    }
    transform.pointee.submit_input_buffer = { transform, isDiscontinuous, buffer in
        guard let buffer else { return GST_FLOW_ERROR }
        let (result, goesOn) = lend(transform) { $0.submit(buffer) }
        guard let goesOn else { return result }
        return parentClass(of: transform, GstBaseTransformClass.self)?.pointee.submit_input_buffer?(
            transform, isDiscontinuous, goesOn)
            ?? GST_FLOW_ERROR
    }
    transform.pointee.sink_event = { transform, event in
        guard let event else { return 0 }
        switch event.pointee.type {
        case GST_EVENT_FLUSH_START: lend(transform) { $0.flush(true) }
        case GST_EVENT_FLUSH_STOP: lend(transform) { $0.flush(false) }
        default: break
        }
        return parentClass(of: transform, GstBaseTransformClass.self)?.pointee.sink_event?(transform, event) ?? 0
    }
    guard mode == .inPlace else { return transform.pointee.passthrough_on_same_caps = 1 }
    if transform.pointee.transform_ip == nil {
        transform.pointee.transform_ip = { transform, buffer in
            guard let buffer else { return GST_FLOW_ERROR }
            return lend(transform) { $0.transform(buffer) }
        }
    }
    transform.pointee.before_transform = { transform, buffer in
        guard let transform, let buffer else { return }
        syncControlledProperties(of: transform, &transform.pointee.segment, at: buffer)
        followSettings(transform)
        if gst_base_transform_is_passthrough(transform) != 0 { lend(transform) { $0.bufferPasses() } }
    }
}

/// Updates the passthrough flag of the base class from the settings.
///
/// GstBaseTransform reads the flag several times per buffer. If it changed in between, `transform_ip` would receive a
/// buffer that was not made writable. Therefore it changes only here, on the streaming thread before each buffer. No
/// renegotiation is needed, because an in-place transform owns no pool.
func followSettings(_ transform: UnsafeMutablePointer<GstBaseTransform>) {
    let isPassthrough: gboolean = lend(transform) { $0.bufferArrives() } ? 1 : 0
    guard gst_base_transform_is_passthrough(transform) != isPassthrough else { return }
    gst_base_transform_set_passthrough(transform, isPassthrough)
}
