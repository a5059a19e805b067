import CGStreamer
import Threads
import struct Synchronization.Atomic

/// Blocks the data of a source pad while the elements downstream change.
///
/// A closed gate blocks the streaming thread at buffers and serialized events until the gate opens, or until a flush or
/// a state change of the element. Other events pass. The corresponding C functions are `gst_pad_add_probe` and
/// `gst_pad_remove_probe`.
public final class PadGate: @unchecked Sendable {  // GstPad protects its probes; a mutex protects the ID.
    private let pad: UnsafeMutablePointer<GstPad>
    /// ID of the blocking probe; 0 while the gate is open.
    private let probe = Mutex<gulong>(0)

    /// Creates an open gate at the pad `src` of `element`; nil if there is no such pad.
    public init?(_ element: ElementReference) {
        guard let pad = element.withUnsafePointer({ gst_element_get_static_pad($0, "src") }) else { return nil }
        self.pad = pad
    }

    deinit {
        open()
        gst_object_unref(pad)
    }

    /// Closes the gate.
    public func close() {
        let new = gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM,
            { _, info, _ in info.map(PadGate.isOutOfBand) == true ? GST_PAD_PROBE_PASS : GST_PAD_PROBE_OK }, nil, nil)
        let wasClosed = probe.withLock { probe in
            guard probe == 0 else { return true }
            probe = new
            return false
        }
        if wasClosed { gst_pad_remove_probe(pad, new) }
    }

    /// Whether the item is an event that is not serialized.
    private static func isOutOfBand(_ info: UnsafeMutablePointer<GstPadProbeInfo>) -> Bool {
        guard info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue != 0,
            let event = info.pointee.data?.assumingMemoryBound(to: GstEvent.self)
        else { return false }
        return event.pointee.type.rawValue & UInt32(GST_EVENT_TYPE_SERIALIZED.rawValue) == 0
    }

    /// Lets data pass.
    public func open() {
        let old = probe.withLock { probe in
            defer { probe = 0 }
            return probe
        }
        if old != 0 { gst_pad_remove_probe(pad, old) }
    }

    /// Whether the pad is idle; if it is idle while the gate is closed, it stays idle until the gate opens.
    public var isIdle: Bool {
        let idle = Flag()
        let probe = gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_IDLE,
            { _, _, flag in
                if let flag { Unmanaged<Flag>.fromOpaque(flag)._withUnsafeGuaranteedRef { $0.set() } }
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(idle).toOpaque(), { Unmanaged<Flag>.fromOpaque($0!).release() })
        // An idle pad calls the probe within `gst_pad_add_probe`.
        let isIdle = idle.isSet
        gst_pad_remove_probe(pad, probe)
        return isIdle
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .relaxed) }
        func set() { value.store(true, ordering: .relaxed) }
    }
}
