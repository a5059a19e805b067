import CGStreamer

/// A tracing hook of GStreamer.
///
/// The corresponding C function is `gst_tracing_register_hook`.
public enum TracerHook: String, Sendable, Hashable {
    /// The hook that calls `Tracer.willPush`.
    case padPushPre = "pad-push-pre"
    /// The hook that calls `Tracer.willPushList`.
    case padPushListPre = "pad-push-list-pre"
    /// The hook that calls `Tracer.didChangeState`.
    case elementChangeStatePost = "element-change-state-post"
}

extension TracerHook {
    /// The C callback of the hook; it receives the tracer, the time and the arguments of the hook.
    var function: GCallback {
        typealias Tracing = UnsafeMutablePointer<GstTracer>?
        typealias PadHook = UnsafeMutablePointer<GstPad>?
        switch self {
        case .padPushPre:
            let hook: @convention(c) (Tracing, UInt64, PadHook, UnsafeMutablePointer<GstBuffer>?) -> Void = {
                tracer, time, pad, buffer in
                guard let pad, let buffer else { return }
                let lent = Pad(taking: pad)
                traced(tracer)?.willPush(Buffer.facts(of: buffer), through: lent, at: instant(time))
                lent.giveBack()
            }
            return unsafeBitCast(hook, to: GCallback.self)
        case .padPushListPre:
            let hook: @convention(c) (Tracing, UInt64, PadHook, OpaquePointer?) -> Void = { tracer, time, pad, list in
                guard let pad, let list else { return }
                let facts = BufferList(taking: gst_buffer_list_ref(list)).facts
                let lent = Pad(taking: pad)
                traced(tracer)?.willPushList(facts, through: lent, at: instant(time))
                lent.giveBack()
            }
            return unsafeBitCast(hook, to: GCallback.self)
        case .elementChangeStatePost:
            let hook:
                @convention(c) (
                    Tracing, UInt64, UnsafeMutablePointer<GstElement>?, GstStateChange, GstStateChangeReturn
                ) -> Void = { tracer, time, element, change, result in
                    guard let element else { return }
                    traced(tracer)?.didChangeState(
                        of: name(of: element), StateChange(change),
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
