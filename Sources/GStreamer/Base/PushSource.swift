import CGStreamer
import Durations
import Synchronization

/// An element that produces a stream: it has one source pad, whose streaming thread calls `create` in a loop.
///
/// `GstBaseSrc` serializes the `mutating` methods, so a conforming type may be a `struct` without a lock. If a source
/// is also a `ConcurrentElement`, the pad methods of that protocol are not called.
///
/// The corresponding C class is `GstPushSrc`.
public protocol PushSource: Element, ~Copyable {
    /// Whether the source is live: it produces buffers only in PLAYING, at the rate of the clock.
    ///
    /// The corresponding C function is `gst_base_src_set_live`.
    static var isLive: Bool { get }

    /// Whether a buffer without a timestamp gets the running time at its creation as timestamp.
    ///
    /// The corresponding C function is `gst_base_src_set_do_timestamp`.
    static var stampsBuffers: Bool { get }

    /// Whether `create` sets the caps with `ElementHost.setSourceCaps`, for a format that depends on the data.
    ///
    /// If false, GstBaseSrc fixates the caps of the template before the first call of `create`. The corresponding C
    /// method is `negotiate`.
    static var setsCapsInCreate: Bool { get }

    /// Called when the caps of the stream are negotiated, except caps that `create` sets.
    ///
    /// Called on the streaming thread. If the method throws, the caps are refused.
    /// The corresponding C method is `set_caps`.
    mutating func setCaps(_ caps: Caps) throws(FlowResult)

    /// Creates the next buffer; throws `.endOfStream` if there are no more.
    ///
    /// The method may wait, and must throw `.flushing` when `unlock` is called. It may push serialized events, such as
    /// TAG and GAP. GstBaseSrc pushes STREAM_START before the first call and SEGMENT after that call. Before an event
    /// that must follow a segment, call `ElementHost.pushSourceSegment`. The corresponding C method is `create`.
    mutating func create(_ settings: Settings) throws(FlowResult) -> Buffer

    /// Whether the source can continue at any time of its stream, with `seek`.
    ///
    /// The corresponding C method is `is_seekable`.
    static var isSeekable: Bool { get }

    /// Continues the stream at `time`: the next call of `create` returns the buffer of this time.
    ///
    /// Called if `isSeekable` is true: at the start of the stream with 0, and later on the thread that seeks, between two
    /// calls of `create`. GstBaseSrc pushes the segment, and ends the stream at the end of the segment. Seeks to play in
    /// reverse fail. The corresponding C method is `do_seek`.
    mutating func seek(to time: Duration)

    /// Length of the stream; nil if it has no end or an unknown one.
    ///
    /// Called when the source starts. The corresponding C field is `duration` of the segment of `GstBaseSrc`.
    static func duration(_ settings: Settings) -> Duration?

    /// Answers a query from downstream; nil chains up to the base class.
    ///
    /// Called on any thread, also while `create` runs. The corresponding C method is `query`.
    static func answer(_ query: borrowing Query, _ report: Settings.Report) -> Bool?

    /// Handles an event from downstream, such as LATENCY, QOS or SEEK; nil chains up to the base class.
    ///
    /// Called on any thread, also while `create` runs. The corresponding C method is `event`.
    static func handle(_ event: borrowing Event, _ report: Settings.Report) -> Bool?

    /// Called on another thread when `create` must not wait any longer; a pause is no such reason.
    ///
    /// The corresponding C method is `unlock`.
    static func unlock(_ report: Settings.Report)

    /// Called when `create` may wait again. The corresponding C method is `unlock_stop`.
    static func unlockStop(_ report: Settings.Report)
}

extension PushSource where Self: ~Copyable {
    /// The default is false.
    public static var isLive: Bool { false }
    /// The default is false.
    public static var stampsBuffers: Bool { false }
    /// The default is false.
    public static var setsCapsInCreate: Bool { false }
    /// Accepts the caps.
    public mutating func setCaps(_ caps: Caps) throws(FlowResult) {}
    /// The default is false.
    public static var isSeekable: Bool { false }
    /// Does nothing.
    public mutating func seek(to time: Duration) {}
    /// Returns nil.
    public static func duration(_ settings: Settings) -> Duration? { nil }
    /// Chains up.
    public static func answer(_ query: borrowing Query, _ report: Settings.Report) -> Bool? { nil }
    /// Chains up.
    public static func handle(_ event: borrowing Event, _ report: Settings.Report) -> Bool? { nil }
    /// Does nothing.
    public static func unlock(_ report: Settings.Report) {}
    /// Does nothing.
    public static func unlockStop(_ report: Settings.Report) {}
}

/// Registers `E` as a subclass of `GstPushSrc`.
///
/// The same element may be registered again. Returns false if another plugin has registered its type name. The
/// corresponding C function is `gst_element_register`.
public func register<E: PushSource & ~Copyable>(_: E.Type, in plugin: Plugin) -> Bool {
    registerPushSource(E.self, in: plugin)
}

/// Registers `E`, which is also a `ConcurrentElement`, as a subclass of `GstPushSrc`.
///
/// The same element may be registered again. Returns false if another plugin has registered its type name. The
/// corresponding C function is `gst_element_register`.
public func register<E: PushSource & ConcurrentElement>(_: E.Type, in plugin: Plugin) -> Bool {
    registerPushSource(E.self, in: plugin)
}

private func registerPushSource<E: PushSource & ~Copyable>(_: E.Type, in plugin: Plugin) -> Bool {
    registerElement(
        E.self, in: plugin, below: gst_push_src_get_type(),
        initClass: { setPushSourceMethods($0, negotiates: !E.setsCapsInCreate, isSeekable: E.isSeekable) }
    ) { raw, type, rows in
        let source = raw.assumingMemoryBound(to: GstBaseSrc.self)
        gst_base_src_set_format(source, GST_FORMAT_TIME)
        gst_base_src_set_live(source, E.isLive ? 1 : 0)
        gst_base_src_set_do_timestamp(source, E.stampsBuffers ? 1 : 0)
        return PushSourceInstance<E>(raw, type, rows)
    }
}

extension GstBaseSrc: ClassInstance { typealias Class = GstBaseSrcClass }

private final class PushSourceInstance<E: PushSource & ~Copyable>: ElementInstance<E> {
    override var startsWithState: Bool { false }

    /// Whether `create` is running, with exclusive access to the element.
    private var isCreating = false
    /// Settings of the last `create`.
    private var last = (settings: E.Settings(), change: -1)

    /// Address of the `GThread` that changes the state from PLAYING to PAUSED; 0 if no thread does.
    private let pausingThread = Atomic<UInt>(0)

    private var thisThread: UInt { UInt(bitPattern: g_thread_self()) }

    override func start() -> Bool {
        guard super.start() else { return false }
        // GstBaseSrc answers queries with the duration, and computes seeks relative to the end.
        let duration = guint64(GstClockTime(E.duration(store.settings)))
        host.withUnsafePointer { source in
            whileLocked(source) {
                UnsafeMutableRawPointer($0).assumingMemoryBound(to: GstBaseSrc.self).pointee.segment.duration = duration
            }
        }
        return true
    }

    override func setCaps(_ caps: Caps) -> Bool {
        // While `create` runs, the caps come from the element itself, which has called `setSourceCaps`.
        isCreating || succeeds { () throws(FlowResult) in try element.setCaps(caps) }
    }

    override func create() -> (GstFlowReturn, RawBuffer?) {
        isCreating = true
        defer { isCreating = false }
        store.refresh(&last)
        return flow { () throws(FlowResult) in try element.create(last.settings) }
    }

    // GstBaseSrc flushes the stream before `do_seek` refuses the seek.
    override func accepts(_ event: UnsafeMutablePointer<GstEvent>) -> Bool { !isReverseSeek(event) }

    override func seek(to time: Duration) -> Bool {
        // An application that handles an event of `create` may seek on this thread.
        guard !isCreating else { return false }
        element.seek(to: time)
        return true
    }

    override func answer(_ query: borrowing Query) -> Bool? { E.answer(query, store.report) }

    override func handle(_ event: borrowing Event) -> Bool? { E.handle(event, store.report) }

    override func changeState(_ change: GstStateChange) -> GstStateChangeReturn {
        guard change == GST_STATE_CHANGE_PLAYING_TO_PAUSED else { return super.changeState(change) }
        pausingThread.store(thisThread, ordering: .relaxed)
        defer { pausingThread.store(0, ordering: .relaxed) }
        return super.changeState(change)
    }

    // GstBaseSrc of 1.26 also calls `unlock` in the change to PAUSED. If `create` then returned FLUSHING after the next
    // change to PLAYING, the stream would stop. So `create` continues to wait, as with 1.22.
    override func flush(_ isFlushing: Bool) {
        if isFlushing, pausingThread.load(ordering: .relaxed) == thisThread { return }
        isFlushing ? E.unlock(store.report) : E.unlockStop(store.report)
    }
}

private func setPushSourceMethods(_ gClass: UnsafeMutableRawPointer, negotiates: Bool, isSeekable: Bool) {
    let source = gClass.assumingMemoryBound(to: GstBaseSrcClass.self)
    if !negotiates { source.pointee.negotiate = { _ in 1 } }
    source.pointee.start = { lend($0) { $0.start() } }
    source.pointee.stop = { perform($0) { $0.stop() } }
    source.pointee.set_caps = { lend($0, $1) { $0.setCaps(Caps($1)) } }
    source.pointee.query = { source, query in
        let isAnswered = lend(source, query, else: false) { $0.answer(Query(lending: $1)) }
        if let isAnswered { return isAnswered ? 1 : 0 }
        return parentClass(of: source)?.pointee.query?(source, query) ?? 0
    }
    source.pointee.event = { source, event in
        // `event` is transfer none, and `Event` releases a reference, so another reference is taken.
        let isHandled = lend(source, event, else: false) { $0.handle(Event(taking: gst_event_ref($1))) }
        if let isHandled { return isHandled ? 1 : 0 }
        if let event, isReverseSeek(event) { return 0 }
        return parentClass(of: source)?.pointee.event?(source, event) ?? 0
    }
    source.pointee.unlock = { perform($0) { $0.flush(true) } }
    source.pointee.unlock_stop = { perform($0) { $0.flush(false) } }
    if isSeekable {
        source.pointee.is_seekable = { _ in 1 }
        source.pointee.do_seek = { source, segment in
            guard let segment, segment.pointee.rate > 0, let time = Duration(GstClockTime(segment.pointee.start)) else {
                return 0
            }
            segment.pointee.time = segment.pointee.start
            return lend(source) { $0.seek(to: time) }
        }
    }
    gClass.assumingMemoryBound(to: GstPushSrcClass.self).pointee.create = { source, buffer in
        let (result, made) = lend(source) { $0.create() }
        guard let made else { return result }
        buffer?.pointee = made
        return result
    }
}

private func isReverseSeek(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
    guard event.pointee.type == GST_EVENT_SEEK else { return false }
    var rate: gdouble = 1
    gst_event_parse_seek(event, &rate, nil, nil, nil, nil, nil, nil)
    return rate < 0
}
