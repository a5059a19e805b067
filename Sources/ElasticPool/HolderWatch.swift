import CGStreamer
import FrameTracking
public import GStreamer

/// Finds the element that holds the oldest buffer in use.
///
/// During its lifetime a probe on each sink pad downstream marks the buffers of the pool. This costs a mutex and a
/// search in a short list for each buffer and pad, so a watch exists only briefly, while a pool is exhausted.
public final class HolderWatch: @unchecked Sendable {  // Used by one thread; the pool guards the marks.
    private struct Place {
        /// For comparison only, because the pad may be freed.
        let pad: UnsafeMutablePointer<GstPad>
        let reference: UnsafeMutablePointer<GWeakRef>
        let probe: gulong
        let element: String
        let before: Int?
    }

    /// Number of bits in a mask.
    private static let largestCount = 64
    private let pool: ElasticPool
    private let source: String?
    private let beganAtTurn: UInt64
    private var places: [Place] = []

    /// Begins to watch the elements downstream of the element.
    public init(_ pool: ElasticPool, downstreamOf host: ElementHost) {
        self.pool = pool
        source = Self.neighbour(of: host)
        beganAtTurn = pool.locked { state in
            state.shelf.clearSeen()
            return state.shelf.turn
        }
        let pads = PadList(sourceOf: host)
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

    /// Name of the element that holds the oldest buffer, or several names behind a tee; nil if it is not known yet.
    private func holder() -> String? {
        guard let use = pool.locked({ $0.shelf.oldest?.use }) else { return nil }
        // The element that fills the buffers has not pushed this buffer yet.
        guard use.hasPassed else { return source }
        // A buffer acquired before the watch may have passed pads unmarked. A later one has passed no pad.
        guard use.seen != 0 else { return use.turn >= beganAtTurn ? source : nil }
        let holders = places.indices.filter { index in
            use.seen & (1 << UInt64(index)) != 0
                && !places.indices.contains { places[$0].before == index && use.seen & (1 << UInt64($0)) != 0 }
        }
        return holders.map { places[$0].element }.joined(separator: " or ")
    }

    /// Element that holds the oldest buffer, or probably holds it in a stream in which no buffer passes a probe.
    public func holderOfOldest(downstreamOf host: ElementHost) -> LikelyHolder? {
        if let names = holder() { return LikelyHolder(element: names, hasEvidence: true, isCertain: true) }
        return pool.locked { $0.shelf.oldest?.buffer }.flatMap { likelyHolder(of: $0, downstreamOf: host) }
    }

    /// Element that probably holds most of the buffers: the holder of the buffer of median age.
    ///
    /// The oldest buffer is not used, because a sink may hold that one only.
    public func holderOfMost(downstreamOf host: ElementHost) -> LikelyHolder? {
        guard let median = pool.locked({ $0.shelf.median }) else { return nil }
        guard median.use.hasPassed else {
            return source.map { LikelyHolder(element: $0, hasEvidence: true, isCertain: true) }
        }
        return likelyHolder(of: median.buffer, downstreamOf: host)
    }

    private func likelyHolder(of buffer: RawBuffer, downstreamOf host: ElementHost) -> LikelyHolder? {
        if let found = host.pad("src")?.searchHolder(where: { $0.withUnsafePointer { $0 == buffer } }) {
            return LikelyHolder(element: found.element, hasEvidence: true)
        }
        return source.map { LikelyHolder(element: $0, hasEvidence: false) }
    }

    private func follow(from output: UnsafeMutablePointer<GstPad>, before: Int?) {
        guard places.count < Self.largestCount, let peer = gst_pad_get_peer(output) else { return }
        defer { gst_object_unref(peer) }
        var here = before
        // A pad of a bin is skipped; the element behind it follows.
        if let parent = gst_pad_get_parent_element(peer) {
            if cgst_is_bin_pad(peer) == 0 {
                guard !places.contains(where: { $0.pad == peer }) else { return gst_object_unref(parent) }
                here = add(peer, of: parent, before: before)
            }
            gst_object_unref(parent)
        }
        for next in PadList(linkedTo: peer).all { follow(from: next, before: here) }
    }

    private func add(
        _ pad: UnsafeMutablePointer<GstPad>, of element: UnsafeMutablePointer<GstElement>, before: Int?
    ) -> Int {
        let mark = Unmanaged.passRetained(Marker(pool, bit: places.count)).toOpaque()
        let probe = gst_pad_add_probe(
            pad, cgst_probe_frames(),
            { _, info, data in
                guard let data, let info else { return GST_PAD_PROBE_OK }
                Unmanaged<Marker>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.saw(info) }
                return GST_PAD_PROBE_OK
            }, mark, { Unmanaged<Marker>.fromOpaque($0!).release() })
        let reference = UnsafeMutablePointer<GWeakRef>.allocate(capacity: 1)
        reference.initialize(to: GWeakRef())
        g_weak_ref_init(reference, pad)
        places.append(
            Place(
                pad: pad, reference: reference, probe: probe,
                element: ElementReference(unsafe: element).name, before: before))
        return places.count - 1
    }

    /// Nearest element upstream of `host` that allocates or keeps buffers.
    private static func neighbour(of host: ElementHost) -> String? {
        let elements = host.elementsUpstream()
        // These elements push each buffer at once.
        let transparent = ["capsfilter", "identity"]
        return (elements.first { !transparent.contains($0.factory) } ?? elements.last)?.name
    }

    private final class Marker {
        private let pool: ElasticPool
        private let bit: Int

        init(_ pool: ElasticPool, bit: Int) {
            self.pool = pool
            self.bit = bit
        }

        func saw(_ info: UnsafeMutablePointer<GstPadProbeInfo>) {
            if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
                if let buffer = gst_pad_probe_info_get_buffer(info) { saw(buffer) }
            } else if let list = gst_pad_probe_info_get_buffer_list(info) {
                for index in 0..<gst_buffer_list_length(list) {
                    if let buffer = gst_buffer_list_get(list, index) { saw(buffer) }
                }
            }
        }

        private func saw(_ buffer: RawBuffer) { pool.locked { $0.shelf.markSeen(buffer, bit: bit) } }
    }
}

/// An element that may hold a buffer.
public struct LikelyHolder: Sendable, Equatable {
    /// Name of the element.
    public let element: String
    /// Whether the element is known to hold buffers, instead of being only next to the pool.
    public let hasEvidence: Bool
    /// Whether the element certainly holds the buffers.
    public var isCertain = false
}

/// Pads, with a reference to each.
struct PadList: ~Copyable {
    private(set) var all: [UnsafeMutablePointer<GstPad>] = []

    /// The source pad of an element.
    init(sourceOf host: ElementHost) {
        let pad = host.withUnsafePointer { gst_element_get_static_pad($0, "src") } ?? nil
        if let pad { all.append(pad) }
    }

    /// The source pads that are linked internally to the sink pad `input`.
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
