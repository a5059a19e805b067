/// An element with one sink and one source pad that pushes at most one buffer per input buffer, with the same caps.
///
/// `GstBaseTransform` serializes the `mutating` methods, so a conforming type may be a `struct` without a lock.
///
/// The corresponding C class is `GstBaseTransform`.
public protocol BaseTransform: Element, ~Copyable {
    /// Whether all buffers pass without a call of `transform`; only `submitInput` may replace them.
    ///
    /// The corresponding C field is `passthrough_on_same_caps`.
    static var passthroughOnSameCaps: Bool { get }

    /// Whether buffers pass unchanged with `settings`, without a copy and without a call of `transform`.
    static func isPassthrough(_ settings: Settings) -> Bool

    /// Called when the caps of the stream are negotiated, and again when they change. Allocate memory here.
    ///
    /// Called on the streaming thread. If the method throws, the caps are refused.
    /// The corresponding C method is `set_caps`.
    mutating func setCaps(_ caps: Caps) throws(FlowResult)

    /// Called for an ALLOCATION query from upstream, after the base class has handled the query or failed.
    ///
    /// Returns whether the element has changed the answer. The query fails if neither the base class nor the element
    /// answers the query. The corresponding C method is `propose_allocation`.
    mutating func proposeAllocation(_ query: borrowing AllocationQuery) -> Bool

    /// Called for each buffer before it is transformed; returns the buffer to process, or nil to drop it.
    ///
    /// Called on the streaming thread. The method must not allocate memory for every buffer, and may hold a mutex only
    /// briefly. With `passthroughOnSameCaps`, the returned buffer is pushed unchanged, and its size may differ from the
    /// size of the input. To shorten the input, call `Buffer.keep(_:)`. To extend the input, return a new buffer with
    /// its metadata; see `Buffer.copyMetadata(of:)`. The corresponding C method is `submit_input_buffer`.
    mutating func submitInput(_ buffer: consuming Buffer) throws(FlowResult) -> Buffer?

    /// Changes a writable buffer; the memory is copied first if it has other owners.
    ///
    /// Called on the streaming thread, with the settings at the arrival of the buffer. The method must not allocate,
    /// lock or wait. Upstream receives the result that it throws. The corresponding C method is `transform_ip`.
    mutating func transform(_ buffer: borrowing WritableBuffer, _ settings: Settings) throws(FlowResult)

    /// Called before each buffer, also if the buffer passes unchanged because of `isPassthrough`.
    ///
    /// The method is not called with `passthroughOnSameCaps`. The corresponding C method is `before_transform`.
    mutating func beforeTransform(isPassthrough: Bool)

    /// Called for each serialized event from upstream; returns an event for the base class, or nil to drop it.
    ///
    /// The corresponding C method is `sink_event`.
    mutating func sinkEvent(_ event: consuming Event) -> Event?

    /// Called for each event from downstream, such as LATENCY and QOS; returns whether to forward it upstream.
    ///
    /// GStreamer calls this on any thread, also while buffers are processed. The corresponding C method is `src_event`.
    static func sourceEvent(_ event: borrowing Event, _ report: Settings.Report) -> Bool

    /// Called with true at FLUSH_START and when the element stops, with false at FLUSH_STOP and when it starts.
    ///
    /// The call may come on any thread, also while `submitInput` runs. Between a call with true and the next call with
    /// false, no method may wait.
    static func flush(_ isFlushing: Bool, _ report: Settings.Report)
}

extension BaseTransform where Self: ~Copyable {
    /// The default is false.
    public static var passthroughOnSameCaps: Bool { false }
    /// The default is false.
    public static func isPassthrough(_ settings: Settings) -> Bool { false }
    /// Accepts the caps.
    public mutating func setCaps(_ caps: Caps) throws(FlowResult) {}
    /// Returns false, without a change of the answer.
    public mutating func proposeAllocation(_ query: borrowing AllocationQuery) -> Bool { false }
    /// Passes the buffer.
    public mutating func submitInput(_ buffer: consuming Buffer) throws(FlowResult) -> Buffer? { buffer }
    /// Does nothing.
    public mutating func transform(_ buffer: borrowing WritableBuffer, _ settings: Settings) throws(FlowResult) {}
    /// Does nothing.
    public mutating func beforeTransform(isPassthrough: Bool) {}
    /// Passes the event.
    public mutating func sinkEvent(_ event: consuming Event) -> Event? { event }
    /// Returns true.
    public static func sourceEvent(_ event: borrowing Event, _ report: Settings.Report) -> Bool { true }
    /// Does nothing.
    public static func flush(_ isFlushing: Bool, _ report: Settings.Report) {}
}
