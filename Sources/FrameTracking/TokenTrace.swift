import CGStreamer
public import GStreamer
import Threads
import struct Synchronization.Atomic

/// Records the last sink pad that each frame with a token enters, downstream of a pad.
///
/// The probes on these sink pads run for every frame, so a trace begins only after an expiry. The corresponding C
/// function is `gst_pad_add_probe`.
public final class TokenTrace: @unchecked Sendable {  // The pads are referenced, and GstPad protects its probes.
    private let probes = Mutex<[Probe]>([])
    private let hasBegun = Atomic<Bool>(false)

    private struct Probe: @unchecked Sendable {  // GstPad protects its probes.
        let pad: UnsafeMutablePointer<GstPad>
        let id: gulong
    }

    /// Creates a trace that has not begun.
    public init() {}

    deinit { end() }

    /// Whether the trace has begun and not ended, even if no pad has a probe.
    public var isRunning: Bool { hasBegun.load(ordering: .acquiring) }

    /// Begins the trace downstream of `source`, unless it is running; locks each element downstream briefly.
    public func begin(behind source: borrowing Pad) {
        guard !hasBegun.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var found: [UnsafeMutablePointer<GstPad>] = []
        source.forEachLinkedElement { element in
            element.forEachSinkPad { pad in
                pad.withUnsafePointer {
                    gst_object_ref($0)
                    found.append($0)
                }
            }
            return true
        }
        let mask = GstPadProbeType(
            rawValue: GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue)
        let added = found.map { Probe(pad: $0, id: gst_pad_add_probe($0, mask, recordEntry, nil, nil)) }
        probes.withLock { $0.append(contentsOf: added) }
    }

    /// Removes the probes; any thread may call it.
    public func end() {
        hasBegun.store(false, ordering: .releasing)
        let all = probes.withLock { probes in
            defer { probes = [] }
            return probes
        }
        for probe in all {
            if probe.id != 0 { gst_pad_remove_probe(probe.pad, probe.id) }
            gst_object_unref(probe.pad)
        }
    }
}

private func recordEntry(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _: gpointer?
) -> GstPadProbeReturn {
    guard let pad, let info else { return GST_PAD_PROBE_OK }
    let identity = UInt(bitPattern: pad)
    if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
        if let buffer = gst_pad_probe_info_get_buffer(info) { TokenMeta.recordEntry(into: identity, of: buffer) }
    } else if let list = gst_pad_probe_info_get_buffer_list(info) {
        for index in 0..<gst_buffer_list_length(list) {
            if let buffer = gst_buffer_list_get(list, index) { TokenMeta.recordEntry(into: identity, of: buffer) }
        }
    }
    return GST_PAD_PROBE_OK
}
