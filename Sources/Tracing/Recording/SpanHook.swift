import CSystem

/// Second receiver of spans and instants, beside the trace: GStreamer's own span API, if the process has it.
///
/// The functions run on streaming threads, so they must not block or allocate memory for each mark. A name is the
/// address of UTF-8 text that is never freed; equal names have equal addresses. `UInt64.max` means no running time.
public struct SpanHook {
    /// Content of the last argument of `Event`.
    public enum Note: UInt32, Sendable {
        /// The argument has no content.
        case none
        /// A number: the bit pattern of an `Int64`.
        case number
        /// The address of a text that is never freed, as for a name.
        case reason
    }

    /// Begins a span; returns its number, or 0 if no end is required.
    public typealias Begin = @convention(c) (UnsafePointer<CChar>?, UInt64) -> UInt64
    /// Ends the span with a number.
    public typealias End = @convention(c) (UInt64) -> Void
    /// Marks an instant; the third argument is the raw value of a `Note`.
    public typealias Event = @convention(c) (UnsafePointer<CChar>?, UInt64, UInt32, UInt64) -> Void

    /// Sets the functions, which are called after the next `setActive(true)`; call it once, not on a streaming thread.
    public static func install(begin: @escaping Begin, end: @escaping End, event: @escaping Event) {
        // The hook is never freed, because a thread may call its functions at any time.
        let hook = UnsafeMutablePointer<ctracing_hook>.allocate(capacity: 1)
        unsafe hook.initialize(to: ctracing_hook(begin: begin, end: end, event: event))
        unsafe ctracing_set_hook(hook)
    }

    /// Starts or stops calling the functions for spans and instants.
    ///
    /// A mark costs one relaxed load while neither a trace nor the hook is active. Open spans end through the hook even
    /// after it becomes inactive.
    public static func setActive(_ isActive: Bool) {
        guard unsafe ctracing_get_hook() != nil else { return }
        TraceRecorder.setHooked(isActive)
    }

    static func begin(_ name: UInt, _ frame: TraceFrame) -> UInt64 {
        guard let hook = unsafe ctracing_get_hook() else { return 0 }
        return unsafe hook.pointee.begin(UnsafePointer(bitPattern: name), frame.runningTime)
    }

    static func end(_ span: UInt64) {
        guard let hook = unsafe ctracing_get_hook() else { return }
        unsafe hook.pointee.end(span)
    }

    static func event(_ name: UInt, _ frame: TraceFrame, _ note: Note, _ value: UInt64) {
        guard let hook = unsafe ctracing_get_hook() else { return }
        unsafe hook.pointee.event(UnsafePointer(bitPattern: name), frame.runningTime, note.rawValue, value)
    }
}
