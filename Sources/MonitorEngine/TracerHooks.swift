import CGStreamer
public import GStreamer
import MonitorPolicy
import Threads
import struct Synchronization.Atomic

/// Hooks of a tracer that record the frames on the pads of each `PipelineTap` that is traced.
///
/// GStreamer calls the hooks for all pads of the process. Hooks of pushes lock no mutex and allocate no memory, except
/// at the first push of a thread.
public enum TracerHooks {
    /// A state change of a pipeline that a tracer follows.
    public enum Step: Sendable {
        /// The pipeline changes from READY to PAUSED, and its elements have not started yet.
        case starts(ElementReference)
        /// The pipeline plays.
        case plays
        /// The pipeline is about to change from PLAYING to PAUSED.
        case pauses
        /// The pipeline has returned to READY, failed to start, or is freed.
        case stopped
    }

    /// Receives state changes of pipelines with their addresses, on the threads that make the changes.
    public typealias Observer = @Sendable (Step, UInt) -> Void
    private typealias Tracer = UnsafeMutablePointer<GstTracer>?
    private typealias HookedPad = UnsafeMutablePointer<GstPad>?
    private typealias HookedElement = UnsafeMutablePointer<GstElement>?

    private static let observer = ProcessMutex<Handler<Observer>?>(nil)
    /// Monotonic time minus the time that hooks receive: the smallest difference of all readings.
    private static let offset = Atomic<UInt64>(.max)

    /// Adds the hooks to a `GstTracer`; returns false if another tracer of the process has added them.
    public static func install(on tracer: borrowing TracerHost, _ new: @escaping Observer) -> Bool {
        let isFirst = observer.withLock { observer in
            guard observer == nil else { return false }
            observer = Handler(new)
            return true
        }
        guard isFirst else { return false }
        tracer.withUnsafePointer {
            addPushes(to: $0)
            addLists(to: $0)
            addEventsAndPulls(to: $0)
            addStates(to: $0)
        }
        return true
    }

    private static func add<Hook>(_ name: String, _ hook: Hook, to tracer: UnsafeMutablePointer<GstTracer>) {
        gst_tracing_register_hook(tracer, name, unsafeBitCast(hook, to: GCallback.self))
    }

    /// Converts the time that a hook receives to the clock of all records.
    @inline(__always)
    private static func instant(_ time: UInt64) -> UInt64 {
        let offset = offset.load(ordering: .relaxed)
        return offset == .max ? UInt64(gst_util_get_timestamp()) : time &+ offset
    }

    private static func measureOffset(_ time: UInt64) {
        offset.min(UInt64(gst_util_get_timestamp()) &- time, ordering: .relaxed)
    }

    // MARK: Streaming threads

    private static func addPushes(to tracer: UnsafeMutablePointer<GstTracer>) {
        let will: @convention(c) (Tracer, UInt64, HookedPad, UnsafeMutablePointer<GstBuffer>?) -> Void = {
            _, time, pad, buffer in
            guard let pad, let buffer else { return }
            let (now, source, sink): (UInt64, UInt, UInt) = (
                TracerHooks.instant(time), UInt(bitPattern: pad), UInt(bitPattern: pad.pointee.peer)
            )
            PushThread.inHook { thread in
                let facts = cgst_buffer_facts(buffer)
                TracedPads.shared.withTap(of: source) { $0.pass(buffer, facts, now: now, from: 0) }
                TracedPads.shared.withTap(of: sink) { $0.pass(buffer, facts, now: now, from: source) }
                thread.begin(pad: source, peer: sink, now: now)
            }
        }
        let did: @convention(c) (Tracer, UInt64, HookedPad, GstFlowReturn) -> Void = { _, time, pad, _ in
            let (now, source): (UInt64, UInt) = (TracerHooks.instant(time), UInt(bitPattern: pad))
            PushThread.inHook { thread in
                guard let push = thread.end(pad: source, now: now) else { return }
                TracedPads.shared.withTap(of: source) { $0.record.recordBlocked(push.length) }
                TracedPads.shared.withTap(of: push.peer) { $0.record.recordOwn(push.own) }
            }
        }
        add("pad-push-pre", will, to: tracer)
        add("pad-push-post", did, to: tracer)
        add("pad-push-list-post", did, to: tracer)
    }

    private static func addLists(to tracer: UnsafeMutablePointer<GstTracer>) {
        let will: @convention(c) (Tracer, UInt64, HookedPad, OpaquePointer?) -> Void = { _, time, pad, list in
            guard let pad, let list else { return }
            let (now, source, sink): (UInt64, UInt, UInt) = (
                TracerHooks.instant(time), UInt(bitPattern: pad), UInt(bitPattern: pad.pointee.peer)
            )
            PushThread.inHook { thread in
                TracedPads.shared.withTap(of: source) { $0.pass(list, now: now, from: 0) }
                TracedPads.shared.withTap(of: sink) { $0.pass(list, now: now, from: source) }
                thread.begin(pad: source, peer: sink, now: now)
            }
        }
        add("pad-push-list-pre", will, to: tracer)
    }

    private static func addEventsAndPulls(to tracer: UnsafeMutablePointer<GstTracer>) {
        let event: @convention(c) (Tracer, UInt64, HookedPad, UnsafeMutablePointer<GstEvent>?) -> Void = {
            _, _, pad, event in
            guard let pad, let event, pad.pointee.direction == GST_PAD_SRC else { return }
            PushThread.inHook { _ in
                TracedPads.shared.withTap(of: UInt(bitPattern: pad)) { $0.follow(event) }
                TracedPads.shared.withTap(of: UInt(bitPattern: pad.pointee.peer)) { $0.follow(event) }
            }
        }
        let pulled:
            @convention(c) (Tracer, UInt64, HookedPad, UnsafeMutablePointer<GstBuffer>?, GstFlowReturn) -> Void = {
                _, time, pad, buffer, result in
                guard let pad, let buffer, result == GST_FLOW_OK else { return }
                let (now, sink, source): (UInt64, UInt, UInt) = (
                    TracerHooks.instant(time), UInt(bitPattern: pad), UInt(bitPattern: pad.pointee.peer)
                )
                PushThread.inHook { _ in
                    let facts = cgst_buffer_facts(buffer)
                    TracedPads.shared.withTap(of: source) { $0.pass(buffer, facts, now: now, from: 0) }
                    TracedPads.shared.withTap(of: sink) { $0.pass(buffer, facts, now: now, from: source) }
                }
            }
        add("pad-push-event-pre", event, to: tracer)
        add("pad-pull-range-post", pulled, to: tracer)
    }

    // MARK: State changes

    private static func addStates(to tracer: UnsafeMutablePointer<GstTracer>) {
        let will: @convention(c) (Tracer, UInt64, HookedElement, GstStateChange) -> Void = { _, time, element, change in
            TracerHooks.measureOffset(time)
            switch change {
            case GST_STATE_CHANGE_READY_TO_PAUSED:
                guard let element, element.pointee.object.parent == nil else { break }
                TracerHooks.report(.starts(ElementReference(unsafe: element)), element)
            case GST_STATE_CHANGE_PLAYING_TO_PAUSED: TracerHooks.report(.pauses, element)
            default: break
            }
        }
        let did: @convention(c) (Tracer, UInt64, HookedElement, GstStateChange, GstStateChangeReturn) -> Void = {
            _, _, element, change, result in
            let hasFailed = result == GST_STATE_CHANGE_FAILURE
            switch change {
            case GST_STATE_CHANGE_PAUSED_TO_PLAYING: TracerHooks.report(.plays, element)
            case GST_STATE_CHANGE_PAUSED_TO_READY: TracerHooks.report(.stopped, element)
            case GST_STATE_CHANGE_READY_TO_PAUSED: if hasFailed { TracerHooks.report(.stopped, element) }
            default: break
            }
        }
        add("element-change-state-pre", will, to: tracer)
        add("element-change-state-post", did, to: tracer)
        // An application may release a pipeline that plays, so a destroyed pipeline has stopped.
        let destroyed: @convention(c) (Tracer, UInt64, HookedElement) -> Void = { TracerHooks.report(.stopped, $2) }
        add("object-destroyed", destroyed, to: tracer)
    }

    /// Reports a step of a pipeline; `starts` is never reported for a pipeline inside of a bin.
    private static func report(_ step: Step, _ element: HookedElement) {
        guard let element, g_type_is_a(cgst_type_of_instance(element), gst_pipeline_get_type()) != 0 else { return }
        observer.withLock { $0 }?.call(step, UInt(bitPattern: element))
    }
}

/// Methods that hooks of a tracer call on the streaming thread of the pad.
extension PadTap {
    @inline(__always)
    func pass(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ facts: CgstBufferFacts, now: UInt64, from peer: UInt
    ) {
        guard acceptsFrames else { return }
        follow(peer)
        pass(buffer, facts, now: now)
    }

    func pass(_ list: OpaquePointer, now: UInt64, from peer: UInt) {
        guard acceptsFrames else { return }
        follow(peer)
        pass(list, now: now)
    }

    /// Whether the pad accepts frames: unlike a probe, a hook also runs for frames that the pad refuses.
    @inline(__always)
    private var acceptsFrames: Bool {
        pad.pointee.object.flags & guint32(GST_PAD_FLAG_FLUSHING.rawValue | GST_PAD_FLAG_EOS.rawValue) == 0
    }

    /// Handles an event pushed through the source pad; a sink pad stores a SEGMENT event only after the hook.
    func follow(_ event: UnsafeMutablePointer<GstEvent>) {
        if record.role == .sink, event.pointee.type == GST_EVENT_SEGMENT {
            needsSegment.store(true, ordering: .relaxed)
        } else {
            handle(event)
        }
    }

    /// Rereads the segment when another source pad is linked, because that pad sends its SEGMENT event without a hook.
    @inline(__always)
    private func follow(_ peer: UInt) {
        guard peer != lastPeer.load(ordering: .relaxed) else { return }
        lastPeer.store(peer, ordering: .relaxed)
        needsSegment.store(true, ordering: .relaxed)
    }
}
