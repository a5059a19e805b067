import CGStreamer
import MonitorPolicy
import Synchronization

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

    /// Hooks also run for frames that the pad refuses; probes do not.
    @inline(__always)
    private var acceptsFrames: Bool {
        pad.pointee.object.flags & guint32(GST_PAD_FLAG_FLUSHING.rawValue | GST_PAD_FLAG_EOS.rawValue) == 0
    }

    /// Handles an event pushed through the source pad; the sink pad stores its segment only after the hook.
    func follow(_ event: UnsafeMutablePointer<GstEvent>) {
        if record.role == .sink, event.pointee.type == GST_EVENT_SEGMENT {
            needsSegment.store(true, ordering: .relaxed)
        } else {
            handle(event)
        }
    }

    /// A sink pad that is linked to another source pad gets a new segment, whose event is resent without a hook.
    @inline(__always)
    private func follow(_ peer: UInt) {
        guard peer != lastPeer.load(ordering: .relaxed) else { return }
        lastPeer.store(peer, ordering: .relaxed)
        needsSegment.store(true, ordering: .relaxed)
    }
}
