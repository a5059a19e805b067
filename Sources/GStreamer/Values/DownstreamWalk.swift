import CGStreamer

/// Goes from element to element downstream, into bins and out of them.
///
/// Takes the locks of the elements there for a moment each; not for the streaming thread.
struct DownstreamWalk {
    /// Called for each element; false ends the walk.
    let element: (UnsafeMutablePointer<GstElement>) -> Bool
    /// Called for each source pad, before what is behind it.
    var sourcePad: (UnsafeMutablePointer<GstPad>) -> Void = { _ in }
    /// Pipelines are small; this ends the walk in one that goes in circles.
    private var left = 64
    private var isOver = false

    init(
        element: @escaping (UnsafeMutablePointer<GstElement>) -> Bool,
        sourcePad: @escaping (UnsafeMutablePointer<GstPad>) -> Void = { _ in }
    ) {
        self.element = element
        self.sourcePad = sourcePad
    }

    mutating func follow(_ source: UnsafeMutablePointer<GstPad>) {
        guard left > 0, !isOver, let peer = inner(gst_pad_get_peer(source)) else { return }
        left -= 1
        defer { gst_object_unref(peer) }
        guard let parent = gst_object_get_parent(&peer.pointee.object) else { return }
        defer { gst_object_unref(parent) }
        if cgst_is_ghost_pad(UnsafeMutableRawPointer(parent).assumingMemoryBound(to: GstPad.self)) != 0 {
            // The inside of a bin's source pad: go on outside.
            return follow(UnsafeMutableRawPointer(parent).assumingMemoryBound(to: GstPad.self))
        }
        guard cgst_is_element(parent) != 0 else { return }
        let element = UnsafeMutableRawPointer(parent).assumingMemoryBound(to: GstElement.self)
        isOver = !self.element(element)
        withUnsafeMutablePointer(to: &self) { walk in
            _ = gst_element_foreach_src_pad(
                element,
                { _, pad, walk in
                    guard let pad, let walk = walk?.assumingMemoryBound(to: DownstreamWalk.self) else { return 1 }
                    guard !walk.pointee.isOver else { return 0 }
                    walk.pointee.sourcePad(pad)
                    walk.pointee.follow(pad)
                    return 1
                }, walk)
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
