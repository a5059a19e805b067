/// How a transform treats the buffers that it does not pass through.
///
/// The corresponding C fields are `transform_ip` and the passthrough mode of `GstBaseTransform`.
public enum TransformMode: Sendable {
    /// Nothing: all buffers pass, or are replaced in `submitInput`.
    case passthrough
    /// It changes their memory; they are copied first when others use it as well.
    case inPlace
}

/// An element with one sink pad and one source pad that sends a buffer for a buffer, both with the same caps.
///
/// `GstBaseTransform` calls the `mutating` methods one at a time, so a `struct` without a lock may conform.
///
/// The corresponding C class is `GstBaseTransform`.
public protocol BaseTransform: Element, ~Copyable {
    /// How the element treats buffers.
    static var mode: TransformMode { get }

    /// Whether buffers pass untouched with these settings, without a copy and without `transform`.
    static func isPassthrough(_ settings: Settings) -> Bool

    /// Called when the caps of the stream are negotiated, and again when they change. Take memory here.
    ///
    /// The corresponding C method is `set_caps`.
    mutating func setCaps(_ caps: Caps) throws(FlowResult)

    /// Called when upstream asks how to make its buffers, after downstream has answered or refused to.
    ///
    /// Returns whether the element has an answer of its own: without any answer, upstream is told that there is none.
    /// The corresponding C method is `propose_allocation`.
    mutating func proposeAllocation(_ query: borrowing AllocationQuery) -> Bool

    /// Called for each buffer before it is transformed; returns the buffer that goes on, or nil to drop it.
    ///
    /// Must not allocate or lock for long. The corresponding C method is `submit_input_buffer`.
    mutating func submitInput(_ buffer: consuming Buffer) throws(FlowResult) -> Buffer?

    /// Changes a buffer that has no other owner; with `TransformMode.inPlace` only.
    ///
    /// `settings` are those of the moment when the buffer arrived. Must not allocate, lock or wait. The corresponding C
    /// method is `transform_ip`.
    mutating func transform(_ buffer: borrowing WritableBuffer, _ settings: Settings) throws(FlowResult)

    /// Called for each buffer that passes untouched because of `isPassthrough`.
    mutating func bufferPasses()

    /// Called on any thread, also while `submitInput` runs: with true when the stream begins to flush or stops, with
    /// false when it ends to flush or starts. What waits must give up.
    static func flush(_ isFlushing: Bool, _ report: Settings.Report)
}

extension BaseTransform where Self: ~Copyable {
    /// In place.
    public static var mode: TransformMode { .inPlace }
    /// No.
    public static func isPassthrough(_ settings: Settings) -> Bool { false }
    /// Accepts the caps.
    public mutating func setCaps(_ caps: Caps) throws(FlowResult) {}
    /// Has no answer of its own.
    public mutating func proposeAllocation(_ query: borrowing AllocationQuery) -> Bool { false }
    /// Passes the buffer.
    public mutating func submitInput(_ buffer: consuming Buffer) throws(FlowResult) -> Buffer? { buffer }
    /// Does nothing.
    public mutating func transform(_ buffer: borrowing WritableBuffer, _ settings: Settings) throws(FlowResult) {}
    /// Does nothing.
    public mutating func bufferPasses() {}
    /// Does nothing.
    public static func flush(_ isFlushing: Bool, _ report: Settings.Report) {}
}
