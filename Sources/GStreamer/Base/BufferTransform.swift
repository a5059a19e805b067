import CGStreamer

/// An element that makes a new buffer of another size from each buffer, with caps of its own on each side.
///
/// Buffers pass unchanged if the negotiated caps are the same on both sides. `GstBaseTransform` allocates each output
/// buffer with the allocator of downstream, and copies times, flags except GAP, and metas that depend on neither the memory
/// nor the medium. Pools of downstream are not used, because their buffers have one size. `GstBaseTransform` serializes the
/// `mutating` methods, so a conforming type may be a `struct` without a lock. For raw video, see `VideoTransform`.
///
/// The corresponding C class is `GstBaseTransform`.
public protocol BufferTransform: CapsTransform, ~Copyable {
    /// Called when the caps of both sides are negotiated, and again when they change. Allocate memory here.
    ///
    /// Called on the streaming thread. If the method throws, the caps are refused.
    /// The corresponding C method is `set_caps`.
    mutating func configure(from input: Caps, to output: Caps, _ settings: Settings) throws(FlowResult)

    /// Bytes in the output for an input of `byteCount` bytes; nil ends the stream with an error.
    ///
    /// Called on the streaming thread before `process`, which receives the same settings. The corresponding C method is
    /// `transform_size`.
    mutating func transformSize(_ byteCount: Int, _ settings: Settings) -> Int?

    /// Called for each buffer on the streaming thread; sets all bytes of `output`, and must not allocate, lock or wait.
    ///
    /// `output` has the size that `transformSize` returned, and can be shortened. Upstream receives the result that the
    /// method throws. The corresponding C method is `transform`.
    mutating func process(
        _ input: borrowing Buffer, into output: borrowing WritableBuffer, _ settings: Settings
    ) throws(FlowResult)
}

extension BufferTransform where Self: ~Copyable {
    /// Accepts the caps.
    public mutating func configure(from input: Caps, to output: Caps, _ settings: Settings) throws(FlowResult) {}
}

/// Registers `E` as a subclass of `GstBaseTransform`.
///
/// The same element may be registered again. Returns false if another plugin has registered its type name. The
/// corresponding C function is `gst_element_register`.
public func register<E: BufferTransform & ~Copyable>(_: E.Type, in plugin: Plugin) -> Bool {
    registerElement(
        E.self, in: plugin, below: gst_base_transform_get_type(), initClass: setBufferTransformMethods,
        makeInstance: { BufferTransformInstance<E>($0, $1, $2) })
}

private func setBufferTransformMethods(_ gClass: UnsafeMutableRawPointer) {
    setCapsTransformMethods(gClass)
    let transform = gClass.assumingMemoryBound(to: GstBaseTransformClass.self)
    transform.pointee.set_caps = { transform, input, output in
        guard let input, let output else { return 0 }
        return lend(transform) { $0.setCaps(input: Caps(input), output: Caps(output)) }
    }
    transform.pointee.transform_size = { transform, direction, _, size, _, otherSize in
        // GstBaseTransform requires only the sizes of output buffers.
        guard direction == GST_PAD_SINK, let otherSize, let input = Int(exactly: size),
            let output = lend(transform, { $0.transformSize(input) }), let count = gsize(exactly: output)
        else { return 0 }
        otherSize.pointee = count
        return 1
    }
    transform.pointee.decide_allocation = { transform, query in
        while gst_query_get_n_allocation_pools(query) > 0 { gst_query_remove_nth_allocation_pool(query, 0) }
        return parentClass(of: transform)?.pointee.decide_allocation?(transform, query) ?? 0
    }
    transform.pointee.transform = { transform, input, output in
        guard let input, let output else { return GST_FLOW_ERROR }
        return lend(transform) { $0.transform(input, into: output) }
    }
}

/// The Swift object of a `GstBaseTransform` whose buffers have other sizes on each side.
private final class BufferTransformInstance<E: BufferTransform & ~Copyable>: CapsTransformInstance<E> {
    /// The settings for the current buffer.
    private var settings = E.Settings()

    override func setCaps(input: Caps, output: Caps) -> Bool {
        beginUse()
        defer { endUse() }
        return succeeds { () throws(FlowResult) in try element.configure(from: input, to: output, store.settings) }
    }

    override func transformSize(_ byteCount: Int) -> Int? {
        beginUse()
        defer { endUse() }
        settings = store.settings
        return element.transformSize(byteCount, settings)
    }

    override func transform(_ input: RawBuffer, into output: RawBuffer) -> GstFlowReturn {
        beginUse()
        defer { endUse() }
        // `input` is transfer none, and `Buffer` releases a reference, so another reference is taken.
        let input = Buffer(taking: gst_buffer_ref(input))
        return flow { () throws(FlowResult) in try element.process(input, into: WritableBuffer(output), settings) }
    }
}
