import CGStreamer

/// Goes from element to element, downstream or upstream, into bins and out of them.
///
/// Takes the locks of the elements there for a moment each; not for the streaming thread.
private struct PipelineWalk {
    enum Direction {
        case downstream, upstream
    }

    private let direction: Direction
    /// Whether the walk goes on behind the elements that it finds.
    private let isDeep: Bool
    /// Called for each element; false ends the walk.
    private let element: (ElementReference) -> Bool
    /// Pipelines are small; this ends the walk in one that goes in circles.
    private var left = 64
    private var isOver = false

    init(_ direction: Direction, isDeep: Bool = true, element: @escaping (ElementReference) -> Bool) {
        self.direction = direction
        self.isDeep = isDeep
        self.element = element
    }

    /// Follows all pads of `element` that lead the way.
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
            // The inside of a bin's pad: go on outside.
            return follow(UnsafeMutableRawPointer(parent).assumingMemoryBound(to: GstPad.self))
        }
        guard cgst_is_element(parent) != 0 else { return }
        let element = UnsafeMutableRawPointer(parent).assumingMemoryBound(to: GstElement.self)
        isOver = !self.element(ElementReference(element))
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

    /// The pad inside when `pad` is a bin's; takes and gives a reference.
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
    /// Calls `body` for each element behind this pad, nearest first, until it returns false: downstream of a source
    /// pad, upstream of a sink pad, into bins and out of them.
    ///
    /// An element that several pads lead to comes several times. Takes the locks of the elements there for a moment
    /// each; not for the streaming thread.
    public func forEachLinkedElement(_ body: (ElementReference) -> Bool) {
        withoutActuallyEscaping(body) { body in
            var walk = PipelineWalk(isSink ? .upstream : .downstream, element: body)
            walk.follow(raw)
        }
    }
}

extension ElementHost {
    /// The elements behind this one's source pads, nearest first; takes their locks for a moment.
    public func elementsDownstream() -> [ElementReference] { elements(.downstream) }

    /// The elements before this one's sink pads, nearest first; takes their locks for a moment.
    public func elementsUpstream() -> [ElementReference] { elements(.upstream) }

    /// The elements linked to this one's source pads, through the pads of bins; takes their locks for a moment.
    public func elementsLinkedDownstream() -> [ElementReference] { elements(.downstream, isDeep: false) }

    /// The elements linked to this one's sink pads, through the pads of bins; takes their locks for a moment.
    public func elementsLinkedUpstream() -> [ElementReference] { elements(.upstream, isDeep: false) }

    private func elements(_ direction: PipelineWalk.Direction, isDeep: Bool = true) -> [ElementReference] {
        var found: [ElementReference] = []
        var walk = PipelineWalk(direction, isDeep: isDeep) { element in
            if !found.contains(where: { $0.identity == element.identity }) { found.append(element) }
            return true
        }
        walk.leave(element)
        return found
    }
}
