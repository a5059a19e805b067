import CTracing

/// Second receiver of spans and instants, beside the trace: GStreamer's own span API, where the process has it.
///
/// The bridge fills in the functions once, from symbols it finds when the plugin loads. They run on the streaming threads,
/// so they neither block nor allocate for each mark. A name is the address of UTF-8 text that is never freed, and equal
/// names have equal addresses. A running time of `UInt64.max` is unknown.
public struct SpanHook {
    /// Begins a span; returns its number, or 0 if there is nothing to end.
    public typealias Begin = @convention(c) (UnsafePointer<CChar>?, UInt64) -> UInt64
    /// Ends the span with a number.
    public typealias End = @convention(c) (UInt64) -> Void
    /// Marks an instant.
    public typealias Event = @convention(c) (UnsafePointer<CChar>?, UInt64) -> Void

    /// Sends spans and instants to the functions too.
    ///
    /// Called once, not on a streaming thread.
    public static func install(begin: @escaping Begin, end: @escaping End, event: @escaping Event) {
        // Never freed, because a thread may be calling its functions at any time.
        let hook = UnsafeMutablePointer<ctracing_hook>.allocate(capacity: 1)
        unsafe hook.initialize(to: ctracing_hook(begin: begin, end: end, event: event))
        unsafe ctracing_set_hook(hook)
        TraceRecorder.setHooked(true)
    }

    /// Enables or disables the hook; while neither a hook nor a trace is active, a mark costs one load and a branch.
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

    static func event(_ name: UInt, _ frame: TraceFrame) {
        guard let hook = unsafe ctracing_get_hook() else { return }
        unsafe hook.pointee.event(UnsafePointer(bitPattern: name), frame.runningTime)
    }
}
