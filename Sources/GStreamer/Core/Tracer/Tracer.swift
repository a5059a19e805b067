import CGStreamer

/// An observer of all pipelines of a process, switched on with `GST_TRACERS="name(parameters)"`.
///
/// Its methods are called on the thread that does what is traced, several at once. They must not wait, push, post or
/// query. Only the methods of `hooks` are called. While any tracer exists, every hook of GStreamer reads the clock.
///
/// The corresponding C class is `GstTracer`.
public protocol Tracer: AnyObject, Object, Sendable {
    /// The name used in `GST_TRACERS`.
    static var tracerName: String { get }
    /// The hooks that the tracer is called for.
    static var hooks: Set<TracerHook> { get }

    /// Makes a tracer; `parameters` is the text in parentheses behind its name, or nil.
    init(parameters: String?)

    /// Called before a buffer is pushed through a source pad: hook `padPushPre`.
    func willPush(_ buffer: BufferFacts, through pad: TracedPad, at time: Duration)
    /// Called before a list is pushed through a source pad, with the facts of all its buffers: hook `padPushListPre`.
    func willPushList(_ list: BufferFacts, through pad: TracedPad, at time: Duration)
    /// Called after a push of a buffer or of a list: hooks `padPushPost` and `padPushListPost`.
    func didPush(through pad: TracedPad, result: FlowResult, at time: Duration)
    /// Called after a state change of an element: hook `elementChangeStatePost`.
    func didChangeState(of element: String, _ change: StateChange, result: StateChangeResult, at time: Duration)
}

extension Tracer {
    /// Does nothing.
    public func willPush(_ buffer: BufferFacts, through pad: TracedPad, at time: Duration) {}
    /// Does nothing.
    public func willPushList(_ list: BufferFacts, through pad: TracedPad, at time: Duration) {}
    /// Does nothing.
    public func didPush(through pad: TracedPad, result: FlowResult, at time: Duration) {}
    /// Does nothing.
    public func didChangeState(of element: String, _ change: StateChange, result: StateChangeResult, at time: Duration)
    {}
}

/// A hook of GStreamer's tracing.
///
/// The corresponding C function is `gst_tracing_register_hook`.
public enum TracerHook: String, Sendable, Hashable {
    /// `Tracer.willPush`.
    case padPushPre = "pad-push-pre"
    /// `Tracer.didPush` for a buffer.
    case padPushPost = "pad-push-post"
    /// `Tracer.willPushList`.
    case padPushListPre = "pad-push-list-pre"
    /// `Tracer.didPush` for a list.
    case padPushListPost = "pad-push-list-post"
    /// `Tracer.didChangeState`.
    case elementChangeStatePost = "element-change-state-post"
}

/// A pad that a tracer is called for, valid during the call.
///
/// The corresponding C type is `GstPad`.
public struct TracedPad {
    let raw: UnsafeMutablePointer<GstPad>

    /// Distinguishes one pad from another; never followed.
    public var identity: UInt { UInt(bitPattern: raw) }

    /// The name of the pad's element and of the pad, such as `x264enc0:src`; takes memory.
    public var name: String {
        let pad = Pad(raw: raw).name
        guard let parent = gst_object_get_parent(&raw.pointee.object) else { return pad }
        defer { gst_object_unref(parent) }
        return "\(ElementHost(raw: UnsafeMutableRawPointer(parent)).name):\(pad)"
    }
}

/// Makes `T` known to GStreamer as a tracer.
///
/// May be called again for the same tracer. The corresponding C function is `gst_tracer_register`.
public func register<T: Tracer>(_: T.Type, in plugin: Plugin) -> Bool {
    let rows = T.Settings.properties
    let type = ObjectType.register(
        T.self, below: gst_tracer_get_type(), rows: rows,
        initClass: { gClass in
            let object = gClass.assumingMemoryBound(to: GObjectClass.self)
            // `params` is set when the object is made, which is after instance_init.
            object.pointee.constructed = { object in
                guard let object else { return }
                parentClass(of: object, GObjectClass.self)?.pointee.constructed?(object)
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
    }
}

extension TracerHook {
    /// The callback of a hook, with the tracer, the time and the arguments.
    fileprivate var function: GCallback {
        typealias Tracing = UnsafeMutablePointer<GstTracer>?
        typealias PadHook = UnsafeMutablePointer<GstPad>?
        switch self {
        case .padPushPre:
            let hook: @convention(c) (Tracing, UInt64, PadHook, UnsafeMutablePointer<GstBuffer>?) -> Void = {
                tracer, time, pad, buffer in
                guard let pad, let buffer else { return }
                traced(tracer)?.willPush(Buffer.facts(of: buffer), through: TracedPad(raw: pad), at: instant(time))
            }
            return unsafeBitCast(hook, to: GCallback.self)
        case .padPushListPre:
            let hook: @convention(c) (Tracing, UInt64, PadHook, OpaquePointer?) -> Void = { tracer, time, pad, list in
                guard let pad, let list else { return }
                let facts = BufferList(taking: gst_buffer_list_ref(list)).facts
                traced(tracer)?.willPushList(facts, through: TracedPad(raw: pad), at: instant(time))
            }
            return unsafeBitCast(hook, to: GCallback.self)
        case .padPushPost, .padPushListPost:
            let hook: @convention(c) (Tracing, UInt64, PadHook, GstFlowReturn) -> Void = { tracer, time, pad, result in
                guard let pad else { return }
                traced(tracer)?.didPush(through: TracedPad(raw: pad), result: FlowResult(result), at: instant(time))
            }
            return unsafeBitCast(hook, to: GCallback.self)
        case .elementChangeStatePost:
            let hook:
                @convention(c) (
                    Tracing, UInt64, UnsafeMutablePointer<GstElement>?, GstStateChange, GstStateChangeReturn
                ) -> Void = { tracer, time, element, change, result in
                    guard let element else { return }
                    traced(tracer)?.didChangeState(
                        of: ElementHost(raw: UnsafeMutableRawPointer(element)).name, StateChange(change),
                        result: StateChangeResult(result), at: instant(time))
                }
            return unsafeBitCast(hook, to: GCallback.self)
        }
    }
}

private func traced(_ tracer: UnsafeMutablePointer<GstTracer>?) -> (any Tracer)? {
    lend(tracer) { $0.traced }
}

private func instant(_ time: UInt64) -> Duration { .nanoseconds(Int64(clamping: time)) }
