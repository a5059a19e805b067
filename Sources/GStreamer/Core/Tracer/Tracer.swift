public import CGStreamer

/// An observer of all pipelines of a process, enabled with `GST_TRACERS="name(parameters)"`.
///
/// GStreamer calls the methods on the traced threads, also concurrently. The methods must not block, push, post or
/// query, and must not keep the pad. GStreamer calls only the methods of `hooks`. While any tracer exists, GStreamer
/// reads the clock at every hook; `time` is the time since its initialization.
///
/// The corresponding C class is `GstTracer`.
public protocol Tracer: AnyObject, Object, Sendable {
    /// The name used in `GST_TRACERS`.
    static var tracerName: String { get }
    /// The hooks whose methods are called.
    static var hooks: Set<TracerHook> { get }

    /// Creates a tracer; `parameters` is the text in parentheses after its name, or nil.
    init(parameters: String?)

    /// Called once with the C instance, to register hooks that `hooks` does not contain.
    func attach(to tracer: borrowing TracerHost)

    /// Called before a buffer is pushed through a source pad: hook `padPushPre`.
    func willPush(_ buffer: BufferFacts, through pad: borrowing Pad, at time: Duration)
    /// Called before a list is pushed through a source pad, with the facts of its buffers: hook `padPushListPre`.
    func willPushList(_ list: BufferFacts, through pad: borrowing Pad, at time: Duration)
    /// Called after a state change of an element: hook `elementChangeStatePost`.
    func didChangeState(of element: String, _ change: StateChange, result: StateChangeResult, at time: Duration)
}

extension Tracer {
    /// Does nothing.
    public func attach(to tracer: borrowing TracerHost) {}
    /// Does nothing.
    public func willPush(_ buffer: BufferFacts, through pad: borrowing Pad, at time: Duration) {}
    /// Does nothing.
    public func willPushList(_ list: BufferFacts, through pad: borrowing Pad, at time: Duration) {}
    /// Does nothing.
    public func didChangeState(of element: String, _ change: StateChange, result: StateChangeResult, at time: Duration)
    {}
}

/// The C instance of a tracer, valid during `Tracer.attach`.
///
/// The corresponding C type is `GstTracer`.
public struct TracerHost: ~Copyable {
    let raw: UnsafeMutablePointer<GstTracer>

    /// Calls `body` with the C tracer.
    public func withUnsafePointer<R>(_ body: (UnsafeMutablePointer<GstTracer>) throws -> R) rethrows -> R {
        try body(raw)
    }
}

/// Registers `T` as a tracer.
///
/// The same tracer may be registered again. Returns false if another plugin has registered its type name. The
/// corresponding C function is `gst_tracer_register`.
public func register<T: Tracer>(_: T.Type, in plugin: Plugin) -> Bool {
    let rows = T.Settings.properties
    let type = ObjectType.register(
        T.self, below: gst_tracer_get_type(), rows: rows,
        initClass: { gClass in
            let object = gClass.assumingMemoryBound(to: GObjectClass.self)
            // GObject sets the property `params` after `instance_init`.
            object.pointee.constructed = { object in
                guard let object else { return }
                parentClass(of: object)?.pointee.constructed?(object)
                lend(object) { $0.constructed(object) }
            }
        }, makeInstance: { raw, type in TracerInstance<T>(raw, type, rows) })
    guard let type else { return false }
    return gst_tracer_register(plugin.raw, T.tracerName, type) != 0
}

private final class TracerInstance<T: Tracer>: Instance {
    private var tracer: T?

    init(_ raw: UnsafeMutableRawPointer, _ type: ObjectType, _ rows: [Property<T.Settings>]) {
        super.init(type, PropertyStore())
    }

    override var traced: (any Tracer)? { tracer }

    override func constructed(_ object: UnsafeMutablePointer<GObject>) {
        var value = GValue()
        g_value_init(&value, cgst_type_string())
        defer { g_value_unset(&value) }
        g_object_get_property(object, "params", &value)
        tracer = T(parameters: copyText(of: &value))
        let raw = UnsafeMutableRawPointer(object).assumingMemoryBound(to: GstTracer.self)
        for hook in T.hooks { gst_tracing_register_hook(raw, hook.rawValue, hook.function) }
        tracer?.attach(to: TracerHost(raw: raw))
    }
}
