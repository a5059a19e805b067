import CGStreamer

/// Visits linked elements downstream or upstream, through the ghost pads of bins.
///
/// The walk locks each visited element briefly. Do not start a walk on a streaming thread.
struct PipelineWalk {
    enum Direction {
        case downstream, upstream
    }

    private let direction: Direction
    /// Whether the walk continues beyond each element; if false, it visits only the nearest elements.
    private let isDeep: Bool
    /// Called for each element and the pad through which the walk enters it; a result of false ends the walk.
    private let element: (ElementReference, UnsafeMutablePointer<GstPad>) -> Bool
    /// Number of visits left; the limit ends the walk in a pipeline with a cycle.
    private var left = 64
    private var isOver = false

    init(
        _ direction: Direction, isDeep: Bool = true,
        element: @escaping (ElementReference, UnsafeMutablePointer<GstPad>) -> Bool
    ) {
        self.direction = direction
        self.isDeep = isDeep
        self.element = element
    }

    /// Visits the elements linked to `element` in the direction of the walk.
    mutating func leave(_ element: UnsafeMutablePointer<GstElement>) {
        withUnsafeMutablePointer(to: &self) { walk in
            _ = walk.pointee.forEachPad(
                element,
                { _, pad, walk in
                    guard let pad, let walk = walk?.assumingMemoryBound(to: PipelineWalk.self) else { return 1 }
                    guard !walk.pointee.isOver else { return 0 }
                    walk.pointee.follow(pad)
                    return 1
                }, walk)
        }
    }

    mutating func follow(_ pad: UnsafeMutablePointer<GstPad>) {
        guard left > 0, !isOver, let peer = inner(gst_pad_get_peer(pad)) else { return }
        left -= 1
        defer { gst_object_unref(peer) }
        guard let parent = gst_object_get_parent(&peer.pointee.object) else { return }
        defer { gst_object_unref(parent) }
        if cgst_is_ghost_pad(UnsafeMutableRawPointer(parent).assumingMemoryBound(to: GstPad.self)) != 0 {
            // The peer is the internal pad of a ghost pad: continue at the peer of the ghost pad.
            return follow(UnsafeMutableRawPointer(parent).assumingMemoryBound(to: GstPad.self))
        }
        guard cgst_is_element(parent) != 0 else { return }
        let element = UnsafeMutableRawPointer(parent).assumingMemoryBound(to: GstElement.self)
        isOver = !self.element(ElementReference(element), peer)
        if isDeep { leave(element) }
    }

    private func forEachPad(
        _ element: UnsafeMutablePointer<GstElement>, _ body: GstElementForeachPadFunc, _ data: gpointer?
    ) -> gboolean {
        switch direction {
        case .downstream: gst_element_foreach_src_pad(element, body, data)
        case .upstream: gst_element_foreach_sink_pad(element, body, data)
        }
    }

    /// The innermost target of a ghost pad; for other pads, the pad itself (transfer full for argument and result).
    private func inner(_ pad: UnsafeMutablePointer<GstPad>?) -> UnsafeMutablePointer<GstPad>? {
        var pad = pad
        while let one = pad, cgst_is_ghost_pad(one) != 0 {
            pad = gst_ghost_pad_get_target(UnsafeMutableRawPointer(one).assumingMemoryBound(to: GstGhostPad.self))
            gst_object_unref(one)
        }
        return pad
    }
}

extension Pad {
    /// Calls `body` for each element downstream of a source pad or upstream of a sink pad, until `body` returns false.
    ///
    /// The second argument is the pad through which the walk enters the element. The walk is depth first, passes
    /// through bins, and visits at most 64 elements. An element that is linked by several pads is visited several
    /// times. The call locks each element briefly; do not make it on a streaming thread.
    public func forEachLinkedElement(_ body: (ElementReference, borrowing Pad) -> Bool) {
        withoutActuallyEscaping(body) { body in
            var walk = PipelineWalk(isSink ? .upstream : .downstream) { body($0, Pad(retaining: $1)) }
            walk.follow(raw)
        }
    }
}

extension ElementHost {
    /// The elements downstream of this element, depth first, at most 64; the call locks each of them briefly.
    public func elementsDownstream() -> [ElementReference] { elements(.downstream) }

    /// The elements upstream of this element, depth first, at most 64; the call locks each of them briefly.
    public func elementsUpstream() -> [ElementReference] { elements(.upstream) }

    /// The elements linked directly to the source pads, also through ghost pads; the call locks each of them briefly.
    public func elementsLinkedDownstream() -> [ElementReference] { elements(.downstream, isDeep: false) }

    private func elements(_ direction: PipelineWalk.Direction, isDeep: Bool = true) -> [ElementReference] {
        withUnsafePointer { PipelineWalk.elements(direction, of: $0, isDeep: isDeep) } ?? []
    }
}

extension PipelineWalk {
    /// The elements upstream or downstream of `element`, depth first, without repetition.
    static func elements(
        _ direction: Direction, of element: UnsafeMutablePointer<GstElement>, isDeep: Bool = true
    ) -> [ElementReference] {
        var found: [ElementReference] = []
        var walk = PipelineWalk(direction, isDeep: isDeep) { element, _ in
            if !found.contains(where: { $0.identity == element.identity }) { found.append(element) }
            return true
        }
        walk.leave(element)
        return found
    }
}
