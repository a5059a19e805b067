import CGStreamer
import Synchronization

/// Counts what goes through a pad, until it is let go.
///
/// Any thread may look. The corresponding C type is `GstPadProbe`.
public final class StreamMeter: @unchecked Sendable {  // Pads guard their probes; the counts are atomic.
    private final class Count: Sendable {
        let bytes = Atomic<UInt64>(0)
        let frames = Atomic<UInt64>(0)
        let time = Atomic<UInt64>(0)
        let last = Atomic<UInt64>(.max)
        let thread = Atomic<UInt>(0)

        /// A longer gap is a pause, or a jump to another place.
        static let longestStep: UInt64 = 2_000_000_000

        /// On the streaming thread alone, but for events that anybody may send between frames.
        func note(_ info: UnsafeMutablePointer<GstPadProbeInfo>) {
            if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue != 0 {
                // An encoder starts when it gets caps, which is before the first frame.
                guard cgst_probe_event_type(info) == GST_EVENT_CAPS else { return }
                return thread.store(Background.currentThread, ordering: .relaxed)
            }
            thread.store(Background.currentThread, ordering: .relaxed)
            var count: guint = 0
            var shown: GstClockTime = 0
            let size = cgst_probe_bytes(info, &count, &shown)
            let time = UInt64(shown)
            bytes.wrappingAdd(UInt64(size), ordering: .relaxed)
            frames.wrappingAdd(UInt64(count), ordering: .relaxed)
            guard time != .max else { return }
            let before = last.load(ordering: .relaxed)
            // Frames that refer to later ones are shown before those, and come after.
            if before != .max, time <= before, before - time <= Self.longestStep { return }
            last.store(time, ordering: .relaxed)
            guard before != .max, time > before, time - before <= Self.longestStep else { return }
            self.time.wrappingAdd(time - before, ordering: .relaxed)
        }
    }

    private let pad: UnsafeMutablePointer<GstPad>
    private let count = Count()
    private let probe: gulong

    /// The bytes so far.
    public var bytes: UInt64 { count.bytes.load(ordering: .relaxed) }
    /// The buffers so far.
    public var frames: UInt64 { count.frames.load(ordering: .relaxed) }
    /// How much of the stream that was, in nanoseconds, by its timestamps; gaps of more than two seconds are none.
    public var nanoseconds: UInt64 { count.time.load(ordering: .relaxed) }

    /// The thread that has last brought a frame or caps, as `Background.currentThread` gives it; 0 before that.
    public var thread: UInt { count.thread.load(ordering: .relaxed) }

    init?(_ pad: UnsafeMutablePointer<GstPad>) {
        let data = Unmanaged.passRetained(count).toOpaque()
        probe = gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM,
            { _, info, data in
                if let info, let data { Unmanaged<Count>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.note(info) } }
                return GST_PAD_PROBE_OK
            }, data, { Unmanaged<Count>.fromOpaque($0!).release() })
        self.pad = pad
        gst_object_ref(pad)
    }

    deinit {
        gst_pad_remove_probe(pad, probe)
        gst_object_unref(pad)
    }
}
