import CGStreamer
import Durations

/// An element that consumes a stream: it has one sink pad and renders each buffer at its running time.
///
/// `GstBaseSink` serializes the `mutating` methods, so a conforming type may be a `struct` without a lock. If a sink is
/// also a `ConcurrentElement`, the pad methods of that protocol are not called.
///
/// The corresponding C class is `GstBaseSink`.
public protocol BaseSink: Element, ~Copyable {
    /// Whether the sink waits for the clock before it renders a buffer; the initial value of the property `sync`.
    ///
    /// The corresponding C function is `gst_base_sink_set_sync`.
    static var isSynchronized: Bool { get }

    /// Whether buffers outside of the segment are dropped, so that `render` never receives them.
    ///
    /// The corresponding C function is `gst_base_sink_set_drop_out_of_segment`.
    static var dropsOutOfSegment: Bool { get }

    /// Called when the caps of the stream are negotiated, and again when they change.
    ///
    /// Called on the streaming thread. If the method throws, the caps are refused.
    /// The corresponding C method is `set_caps`.
    mutating func setCaps(_ caps: Caps) throws(FlowResult)

    /// Renders a buffer, after the sink has waited for the clock.
    ///
    /// Called on the streaming thread; may wait until `unlock` is called. Use `Buffer.retained` to keep the buffer.
    /// Upstream receives the result that the method throws. The corresponding C method is `render`.
    mutating func render(_ buffer: borrowing Buffer, _ settings: Settings) throws(FlowResult)

    /// Called on the streaming thread at EOS, before the sink waits for the clock. The C method is `event`.
    mutating func endOfStream()

    /// Called on another thread when `render` must not wait any longer. The corresponding C method is `unlock`.
    static func unlock(_ report: Settings.Report)

    /// Called when `render` may wait again. The corresponding C method is `unlock_stop`.
    static func unlockStop(_ report: Settings.Report)
}

extension BaseSink where Self: ~Copyable {
    /// The default is true.
    public static var isSynchronized: Bool { true }
    /// The default is true.
    public static var dropsOutOfSegment: Bool { true }
    /// Accepts the caps.
    public mutating func setCaps(_ caps: Caps) throws(FlowResult) {}
    /// Does nothing.
    public mutating func endOfStream() {}
    /// Does nothing.
    public static func unlock(_ report: Settings.Report) {}
    /// Does nothing.
    public static func unlockStop(_ report: Settings.Report) {}
}

/// Registers `E` as a subclass of `GstBaseSink`.
///
/// The same element may be registered again. Returns false if another plugin has registered its type name. The
/// corresponding C function is `gst_element_register`.
public func register<E: BaseSink & ~Copyable>(_: E.Type, in plugin: Plugin) -> Bool {
    registerBaseSink(E.self, in: plugin)
}

/// Registers `E`, which is also a `ConcurrentElement`, as a subclass of `GstBaseSink`.
///
/// The same element may be registered again. Returns false if another plugin has registered its type name. The
/// corresponding C function is `gst_element_register`.
public func register<E: BaseSink & ConcurrentElement>(_: E.Type, in plugin: Plugin) -> Bool {
    registerBaseSink(E.self, in: plugin)
}

private func registerBaseSink<E: BaseSink & ~Copyable>(_: E.Type, in plugin: Plugin) -> Bool {
    registerElement(E.self, in: plugin, below: gst_base_sink_get_type(), initClass: setBaseSinkMethods) {
        raw, type, rows in
        let sink = raw.assumingMemoryBound(to: GstBaseSink.self)
        gst_base_sink_set_sync(sink, E.isSynchronized ? 1 : 0)
        gst_base_sink_set_drop_out_of_segment(sink, E.dropsOutOfSegment ? 1 : 0)
        return BaseSinkInstance<E>(raw, type, rows)
    }
}

extension GstBaseSink: ClassInstance { typealias Class = GstBaseSinkClass }

private final class BaseSinkInstance<E: BaseSink & ~Copyable>: ElementInstance<E> {
    override func setCaps(_ caps: Caps) -> Bool {
        succeeds { () throws(FlowResult) in try element.setCaps(caps) }
    }

    override func render(_ buffer: RawBuffer) -> GstFlowReturn {
        // `buffer` is transfer none, and `Buffer` releases a reference, so another reference is taken.
        let buffer = Buffer(taking: gst_buffer_ref(buffer))
        return flow { () throws(FlowResult) in try element.render(buffer, store.settings) }
    }

    override func endOfStream() { element.endOfStream() }

    override func flush(_ isFlushing: Bool) { isFlushing ? E.unlock(store.report) : E.unlockStop(store.report) }
}

private func setBaseSinkMethods(_ gClass: UnsafeMutableRawPointer) {
    let sink = gClass.assumingMemoryBound(to: GstBaseSinkClass.self)
    // `changeState` starts and stops the element. GstBaseSink calls `start` and `stop` in the changes from and to NULL.
    sink.pointee.set_caps = { lend($0, $1) { $0.setCaps(Caps($1)) } }
    sink.pointee.render = { lend($0, $1, else: GST_FLOW_ERROR) { $0.render($1) } }
    sink.pointee.event = { sink, event in
        if event?.pointee.type == GST_EVENT_EOS { lend(sink) { $0.endOfStream() } }
        return parentClass(of: sink)?.pointee.event?(sink, event) ?? 0
    }
    sink.pointee.unlock = { perform($0) { $0.flush(true) } }
    sink.pointee.unlock_stop = { perform($0) { $0.flush(false) } }
}

extension ElementReference {
    /// The latency of the pipeline, which the sink adds to the running time of each buffer.
    ///
    /// The element must be an instance of `GstBaseSink`; see `isInstance(of:)`.
    /// The corresponding C function is `gst_base_sink_get_latency`.
    public var sinkLatency: Duration { .nanoseconds(UInt64(gst_base_sink_get_latency(sink))) }

    /// Additional delay of each buffer in the sink: `ts-offset` minus `render-delay`; negative for an earlier buffer.
    ///
    /// The element must be an instance of `GstBaseSink`; see `isInstance(of:)`.
    /// The corresponding C functions are `gst_base_sink_get_ts_offset` and `gst_base_sink_get_render_delay`.
    public var sinkOffset: Duration {
        Duration.nanoseconds(gst_base_sink_get_ts_offset(sink))
            - .nanoseconds(UInt64(gst_base_sink_get_render_delay(sink)))
    }

    private var sink: UnsafeMutablePointer<GstBaseSink> {
        UnsafeMutableRawPointer(raw).assumingMemoryBound(to: GstBaseSink.self)
    }
}
