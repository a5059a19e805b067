import CGStreamer

/// An element that produces a stream: it has one source pad, whose streaming thread calls `create` in a loop.
///
/// `GstBaseSrc` calls the `mutating` methods one at a time, so a conforming type may be a `struct` without a lock.
///
/// The corresponding C class is `GstPushSrc`.
public protocol PushSource: Element, ~Copyable {
    /// Whether the source is live: it produces buffers in PLAYING only, at the rate of the clock.
    ///
    /// The corresponding C function is `gst_base_src_set_live`.
    static var isLive: Bool { get }

    /// Whether buffers without a timestamp get the running time of their creation.
    ///
    /// The corresponding C function is `gst_base_src_set_do_timestamp`.
    static var stampsBuffers: Bool { get }

    /// Called when the caps of the stream are negotiated; those of the template are fixated by default.
    ///
    /// The corresponding C method is `set_caps`.
    mutating func setCaps(_ caps: Caps) throws(FlowResult)

    /// Creates the next buffer; throws `.endOfStream` if there are no more.
    ///
    /// It may wait; when `unlock` is called, it must throw `.flushing`. The corresponding C method is `create`.
    mutating func create(_ settings: Settings) throws(FlowResult) -> Buffer

    /// Answers a query from downstream; nil chains up to the base class.
    ///
    /// Called on any thread, also while `create` runs. The corresponding C method is `query`.
    static func answer(_ query: Query, _ report: Settings.Report) -> Bool?

    /// Called on another thread when `create` must not wait any longer. The corresponding C method is `unlock`.
    static func unlock(_ report: Settings.Report)

    /// Called when `create` may wait again. The corresponding C method is `unlock_stop`.
    static func unlockStop(_ report: Settings.Report)
}

extension PushSource where Self: ~Copyable {
    /// The default is false.
    public static var isLive: Bool { false }
    /// The default is false.
    public static var stampsBuffers: Bool { false }
    /// Accepts the caps.
    public mutating func setCaps(_ caps: Caps) throws(FlowResult) {}
    /// Chains up.
    public static func answer(_ query: Query, _ report: Settings.Report) -> Bool? { nil }
    /// Does nothing.
    public static func unlock(_ report: Settings.Report) {}
    /// Does nothing.
    public static func unlockStop(_ report: Settings.Report) {}
}

/// Registers `E` as a subclass of `GstPushSrc`.
///
/// May be called again for the same element. The corresponding C function is `gst_element_register`.
public func register<E: PushSource & ~Copyable>(_: E.Type, in plugin: Plugin) -> Bool {
    registerElement(E.self, in: plugin, below: gst_push_src_get_type(), initClass: setPushSourceMethods) {
        raw, type, rows in
        let source = raw.assumingMemoryBound(to: GstBaseSrc.self)
        gst_base_src_set_format(source, GST_FORMAT_TIME)
        gst_base_src_set_live(source, E.isLive ? 1 : 0)
        gst_base_src_set_do_timestamp(source, E.stampsBuffers ? 1 : 0)
        return PushSourceInstance<E>(raw, type, rows)
    }
}

extension ElementHost {
    /// Changes the caps of a source; called in `create` before it returns the first buffer with these caps.
    ///
    /// The corresponding C function is `gst_base_src_set_caps`.
    public func setSourceCaps(_ caps: Caps) -> Bool {
        gst_base_src_set_caps(raw.assumingMemoryBound(to: GstBaseSrc.self), caps.raw) != 0
    }
}

extension GstBaseSrc: ClassInstance { typealias Class = GstBaseSrcClass }

private final class PushSourceInstance<E: PushSource & ~Copyable>: ElementInstance<E> {
    override var startsWithState: Bool { false }

    override func setCaps(_ caps: Caps) -> Bool {
        succeeds { () throws(FlowResult) in try element.setCaps(caps) }
    }

    override func create() -> (GstFlowReturn, RawBuffer?) {
        flow { () throws(FlowResult) in try element.create(store.settings) }
    }

    override func answer(_ query: Query) -> Bool? { E.answer(query, store.report) }

    override func flush(_ isFlushing: Bool) { isFlushing ? E.unlock(store.report) : E.unlockStop(store.report) }
}

private func setPushSourceMethods(_ gClass: UnsafeMutableRawPointer) {
    let source = gClass.assumingMemoryBound(to: GstBaseSrcClass.self)
    source.pointee.start = { lend($0) { $0.start() } }
    source.pointee.stop = { perform($0) { $0.stop() } }
    source.pointee.set_caps = { lend($0, $1) { $0.setCaps(Caps($1)) } }
    source.pointee.query = { source, query in
        let isAnswered = lend(source, query, else: false) { $0.answer(Query(raw: $1)) }
        if let isAnswered { return isAnswered ? 1 : 0 }
        return parentClass(of: source)?.pointee.query?(source, query) ?? 0
    }
    source.pointee.unlock = { perform($0) { $0.flush(true) } }
    source.pointee.unlock_stop = { perform($0) { $0.flush(false) } }
    gClass.assumingMemoryBound(to: GstPushSrcClass.self).pointee.create = { source, buffer in
        let (result, made) = lend(source) { $0.create() }
        guard let made else { return result }
        buffer?.pointee = made
        return result
    }
}
