import CGStreamer
import MonitorPolicy
import Synchronization

extension PadTap {
    /// Segment of the frames that pass a pad.
    ///
    /// Several threads may push through one pad, such as the source pad of `input-selector`, and hooks of a tracer run
    /// before the stream lock of a sink pad is locked. No thread waits for another one.
    struct Segment: ~Copyable, Sendable {
        private let words = InlineArray<11, Atomic<UInt64>> { _ in Atomic(0) }
        /// Whether the segment is in GST_FORMAT_TIME.
        private let isTimed = Atomic<Bool>(true)
        /// Number of begun and completed changes; odd during a change.
        private let changes = Atomic<UInt64>(0)

        init() {
            var segment = GstSegment()
            gst_segment_init(&segment, GST_FORMAT_TIME)
            _ = store(segment, isTimed: true)
        }

        /// Running time of a PTS; `FrameTimes.noPTS` outside of the segment, and while another thread changes it.
        @inline(__always)
        func runningTime(of pts: GstClockTime) -> UInt64 {
            var segment = GstSegment()
            let before = changes.load(ordering: .acquiring)
            withUnsafeMutableBytes(of: &segment) { bytes in
                for index in words.indices {
                    bytes.storeBytes(
                        of: words[index].load(ordering: .relaxed), toByteOffset: index * 8, as: UInt64.self)
                }
            }
            let isTimed = isTimed.load(ordering: .relaxed)
            atomicMemoryFence(ordering: .acquiring)
            guard before & 1 == 0, changes.load(ordering: .relaxed) == before else { return FrameTimes.noPTS }
            // GstBaseSrc sets PTS 0 on the first bytes of a file; it is not the time of a frame.
            if pts == 0, !isTimed { return FrameTimes.noPTS }
            return UInt64(gst_segment_to_running_time(&segment, GST_FORMAT_TIME, pts))
        }

        /// Stores the segment of a SEGMENT event; returns false if another thread changes it.
        func take(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
            var new: UnsafePointer<GstSegment>?
            gst_event_parse_segment(event, &new)
            guard let new else { return true }
            var segment = new.pointee
            let isTimed = segment.format == GST_FORMAT_TIME
            if !isTimed { gst_segment_init(&segment, GST_FORMAT_TIME) }
            return store(segment, isTimed: isTimed)
        }

        private func store(_ segment: GstSegment, isTimed: Bool) -> Bool {
            let before = changes.load(ordering: .relaxed)
            guard before & 1 == 0,
                changes.compareExchange(expected: before, desired: before &+ 1, ordering: .acquiring).exchanged
            else { return false }
            // A reader that loads a new word also loads the odd number.
            atomicMemoryFence(ordering: .releasing)
            withUnsafeBytes(of: segment) { bytes in
                for index in words.indices {
                    words[index].store(bytes.load(fromByteOffset: index * 8, as: UInt64.self), ordering: .relaxed)
                }
            }
            self.isTimed.store(isTimed, ordering: .relaxed)
            changes.store(before &+ 2, ordering: .releasing)
            return true
        }

        /// Reads the sticky segment of a pad, or with `orPeer` of its peer if the pad has none.
        ///
        /// A hook runs before the sink pad receives the sticky events that precede the buffer. Returns false if another
        /// thread changes the segment.
        func read(from pad: UnsafeMutablePointer<GstPad>, orPeer: Bool) -> Bool {
            guard let event = Self.sticky(of: pad) ?? (orPeer ? Self.stickyOfPeer(of: pad) : nil) else { return true }
            defer { gst_event_unref(event) }
            return take(event)
        }

        private static func stickyOfPeer(of pad: UnsafeMutablePointer<GstPad>) -> UnsafeMutablePointer<GstEvent>? {
            guard let peer = gst_pad_get_peer(pad) else { return nil }
            defer { gst_object_unref(peer) }
            return sticky(of: peer)
        }

        private static func sticky(of pad: UnsafeMutablePointer<GstPad>) -> UnsafeMutablePointer<GstEvent>? {
            gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0)
        }
    }
}
