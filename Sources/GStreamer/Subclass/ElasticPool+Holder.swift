import CGStreamer

/// Notes which elements downstream a pool's frames have come to.
///
/// A probe on each input downstream marks the frame; that costs a lock and a look at a short list for each frame and
/// input. Elements that are added later are not seen.
public final class HolderWatch: @unchecked Sendable {  // Made and ended by one thread; the rest does not change.
    fileprivate struct Place {
        /// Compared only: the pad may be gone.
        let pad: UnsafeMutablePointer<GstPad>
        let reference: UnsafeMutablePointer<GWeakRef>
        let probe: gulong
        let element: String
        let before: Int?
    }

    /// Bits in a mask.
    private static let largestCount = 64
    private let pool: ElasticPool
    private let source: String?
    private var places: [Place] = []

    /// Looks at all there is downstream of `host` now.
    public init(_ pool: ElasticPool, downstreamOf host: ElementHost) {
        self.pool = pool
        source = Self.neighbour(of: host)
        let pads = Pads(host.element, "src")
        for pad in pads.all { follow(from: pad, before: nil) }
    }

    deinit {
        for place in places {
            if let pad = g_weak_ref_get(place.reference) {
                gst_pad_remove_probe(pad.assumingMemoryBound(to: GstPad.self), place.probe)
                gst_object_unref(pad)
            }
            g_weak_ref_clear(place.reference)
            place.reference.deallocate()
        }
    }

    /// The names of the elements that may hold the buffer which has been in use for longest; nil when none is in use.
    public func oldestHolder() -> String? {
        guard let seen = pool.locked({ $0.shelf.seenOfOldest }) else { return nil }
        guard seen != 0 else { return source }
        // Who has a frame and has not handed it on; behind a tee that can be several.
        let holders = places.indices.filter { index in
            seen & (1 << UInt64(index)) != 0
                && !places.indices.contains { places[$0].before == index && seen & (1 << UInt64($0)) != 0 }
        }
        return holders.map { places[$0].element }.joined(separator: " or ")
    }

    private func follow(from output: UnsafeMutablePointer<GstPad>, before: Int?) {
        guard places.count < Self.largestCount, let peer = gst_pad_get_peer(output) else { return }
        defer { gst_object_unref(peer) }
        var here = before
        // The pads of a bin have an element behind them that does the work.
        if let parent = gst_pad_get_parent_element(peer) {
            if cgst_is_bin_pad(peer) == 0 {
                guard !places.contains(where: { $0.pad == peer }) else { return gst_object_unref(parent) }
                here = add(peer, of: parent, before: before)
            }
            gst_object_unref(parent)
        }
        for next in Pads(linkedTo: peer).all { follow(from: next, before: here) }
    }

    private func add(
        _ pad: UnsafeMutablePointer<GstPad>, of element: UnsafeMutablePointer<GstElement>, before: Int?
    ) -> Int {
        let mark = Unmanaged.passRetained(Mark(pool, bit: places.count)).toOpaque()
        let probe = gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_BUFFER,
            { _, info, data in
                guard let data, let buffer = gst_pad_probe_info_get_buffer(info) else { return GST_PAD_PROBE_OK }
                Unmanaged<Mark>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.saw(buffer) }
                return GST_PAD_PROBE_OK
            }, mark, { Unmanaged<Mark>.fromOpaque($0!).release() })
        let reference = UnsafeMutablePointer<GWeakRef>.allocate(capacity: 1)
        reference.initialize(to: GWeakRef())
        g_weak_ref_init(reference, pad)
        places.append(
            Place(
                pad: pad, reference: reference, probe: probe,
                element: ElementHost(raw: UnsafeMutableRawPointer(element)).name, before: before))
        return places.count - 1
    }

    /// The element before `host`.
    private static func neighbour(of host: ElementHost) -> String? {
        guard let pad = gst_element_get_static_pad(host.element, "sink") else { return nil }
        defer { gst_object_unref(pad) }
        guard let peer = gst_pad_get_peer(pad) else { return nil }
        defer { gst_object_unref(peer) }
        guard let parent = gst_pad_get_parent_element(peer) else { return nil }
        defer { gst_object_unref(parent) }
        return ElementHost(raw: UnsafeMutableRawPointer(parent)).name
    }

    private final class Mark {
        private let pool: ElasticPool
        private let bit: Int

        init(_ pool: ElasticPool, bit: Int) {
            self.pool = pool
            self.bit = bit
        }

        func saw(_ buffer: RawBuffer) { pool.locked { $0.shelf.markSeen(buffer, bit: bit) } }
    }
}

/// Some pads, each with a reference.
private struct Pads: ~Copyable {
    private(set) var all: [UnsafeMutablePointer<GstPad>] = []

    init(_ element: UnsafeMutablePointer<GstElement>, _ name: String) {
        if let pad = gst_element_get_static_pad(element, name) { all.append(pad) }
    }

    /// The outputs of an element that what comes in at `input` goes out by.
    init(linkedTo input: UnsafeMutablePointer<GstPad>) {
        guard let iterator = gst_pad_iterate_internal_links(input) else { return }
        defer { gst_iterator_free(iterator) }
        var value = GValue()
        defer { if value.g_type != 0 { g_value_unset(&value) } }
        while true {
            switch gst_iterator_next(iterator, &value) {
            case GST_ITERATOR_OK:
                if let pad = g_value_dup_object(&value) { all.append(pad.assumingMemoryBound(to: GstPad.self)) }
                g_value_reset(&value)
            case GST_ITERATOR_RESYNC:
                drop()
                gst_iterator_resync(iterator)
            default: return
            }
        }
    }

    deinit {
        for pad in all { gst_object_unref(pad) }
    }

    private mutating func drop() {
        for pad in all { gst_object_unref(pad) }
        all = []
    }
}
