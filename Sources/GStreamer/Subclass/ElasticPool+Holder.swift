import CGStreamer

/// Finds out which element holds the buffer that has been in use for longest.
///
/// While it lives, a probe on each input downstream marks the frames of the pool, which costs a lock and a look at a
/// short list for each frame and input. So there is one only once a pool has run dry, and not for long.
public final class HolderWatch: @unchecked Sendable {  // Made, asked and ended by one thread; marks are the pool's.
    private struct Place {
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
    private let beganAtTurn: UInt64
    private var places: [Place] = []

    /// Looks at all there is downstream of `host` now.
    public init(_ pool: ElasticPool, downstreamOf host: ElementHost) {
        self.pool = pool
        source = Self.neighbour(of: host)
        beganAtTurn = pool.locked { state in
            state.shelf.forgetSeen()
            return state.shelf.turn
        }
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

    /// The names of the elements that hold it, behind a tee perhaps several; nil as long as nobody knows.
    public func holder() -> String? {
        guard let use = pool.locked({ $0.shelf.oldest?.use }) else { return nil }
        // It has not come out of the element that filled it.
        guard use.hasPassed else { return source }
        // What was on its way already may be behind any of the probes; what has come since would have been seen.
        guard use.seen != 0 else { return use.turn >= beganAtTurn ? source : nil }
        let holders = places.indices.filter { index in
            use.seen & (1 << UInt64(index)) != 0
                && !places.indices.contains { places[$0].before == index && use.seen & (1 << UInt64($0)) != 0 }
        }
        return holders.map { places[$0].element }.joined(separator: " or ")
    }

    /// The element that holds it in all likelihood, when nothing moves that could be watched.
    public func likelyHolder(downstreamOf host: ElementHost) -> LikelyHolder? {
        guard let oldest = pool.locked({ $0.shelf.oldest?.buffer }) else { return nil }
        return likelyHolder(of: oldest, downstreamOf: host)
    }

    /// The element that holds most of the buffers, found in the same way: a sink may hold the oldest one only.
    public func holderOfMost(downstreamOf host: ElementHost) -> LikelyHolder? {
        guard let median = pool.locked({ $0.shelf.median }) else { return nil }
        guard median.use.hasPassed else {
            return source.map { LikelyHolder(element: $0, hasReason: true, isCertain: true) }
        }
        return likelyHolder(of: median.buffer, downstreamOf: host)
    }

    private func likelyHolder(of buffer: RawBuffer, downstreamOf host: ElementHost) -> LikelyHolder? {
        let pads = Pads(host.element, "src")
        let found = pads.all.first.flatMap { Pad(raw: $0).searchHolder { $0 == buffer } }
        if let found { return LikelyHolder(element: found.element, hasReason: true) }
        return source.map { LikelyHolder(element: $0, hasReason: false) }
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
            pad, cgst_probe_frames(),
            { _, info, data in
                guard let data, let info else { return GST_PAD_PROBE_OK }
                Unmanaged<Mark>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.saw(info) }
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

    /// The element before `host` that makes or keeps frames.
    private static func neighbour(of host: ElementHost) -> String? {
        guard let pad = gst_element_get_static_pad(host.element, "sink") else { return nil }
        defer { gst_object_unref(pad) }
        var name: String?
        var walk = PipelineWalk(.upstream) { element in
            name = ElementHost(raw: UnsafeMutableRawPointer(element)).name
            return passesOnly(element)
        }
        walk.follow(pad)
        return name
    }

    /// Whether `element` passes all frames on at once.
    private static func passesOnly(_ element: UnsafeMutablePointer<GstElement>) -> Bool {
        guard let factory = gst_element_get_factory(element),
            let name = gst_object_get_name(UnsafeMutableRawPointer(factory).assumingMemoryBound(to: GstObject.self))
        else { return false }
        defer { g_free(name) }
        return ["capsfilter", "identity"].contains(String(cString: name))
    }

    private final class Mark {
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
    public let element: String
    /// False when the element is merely the first in line.
    public let hasReason: Bool
    public var isCertain = false
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
