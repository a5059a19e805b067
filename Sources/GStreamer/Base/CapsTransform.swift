import CGStreamer

/// An element that makes a new buffer from each buffer, with caps of its own on each side.
///
/// An element conforms to `VideoTransform`, or for other media, to `BufferTransform`. The corresponding C class is
/// `GstBaseTransform`.
public protocol CapsTransform: Element, ~Copyable {
    /// All caps of one pad to which, or from which, frames with `caps` of the pad on `side` can be transformed.
    ///
    /// Called on any thread, with any caps that the template of the pad allows. The corresponding C method is
    /// `transform_caps`.
    static func transformCaps(_ caps: Caps, from side: PadDirection, _ settings: Settings) -> Caps

    /// Chooses values of `caps`, for the caps that the pad on `side` has.
    ///
    /// Fields without a fixed value in the result get the first value, or the lowest one. The corresponding C method is
    /// `fixate_caps`.
    static func fixate(_ caps: Caps, for fixed: Caps, of side: PadDirection, _ settings: Settings) -> Caps

    /// Called after a flush, as of a seek: the next frame does not continue the stream. Forget earlier frames here.
    ///
    /// Called between two calls of `process`, on the thread that seeks or flushes. The corresponding C event is
    /// FLUSH_STOP.
    mutating func flush()
}

extension CapsTransform where Self: ~Copyable {
    /// Returns the caps.
    public static func fixate(_ caps: Caps, for fixed: Caps, of side: PadDirection, _ settings: Settings) -> Caps {
        caps
    }
    /// Does nothing.
    public mutating func flush() {}
}

/// Sets the methods of a direct or indirect subclass of `GstBaseTransform` for a `CapsTransform`.
func setCapsTransformMethods(_ gClass: UnsafeMutableRawPointer) {
    let transform = gClass.assumingMemoryBound(to: GstBaseTransformClass.self)
    transform.pointee.passthrough_on_same_caps = 1
    transform.pointee.start = { lend($0) { $0.start() } }
    transform.pointee.stop = { perform($0) { $0.stop() } }
    transform.pointee.transform_caps = { transform, direction, caps, filter in
        guard let caps else { return nil }
        let found = lend(transform) { $0.transformCaps(Caps(caps), from: PadDirection(direction)) }
        // The order of the filter is that of the preference of the other element.
        return filter.map { gst_caps_intersect_full($0, found.raw, GST_CAPS_INTERSECT_FIRST) }
            ?? gst_caps_ref(found.raw)
    }
    transform.pointee.fixate_caps = { transform, direction, fixed, caps in
        guard let fixed, let caps else { return caps }
        let chosen = lend(transform) {
            $0.fixate(Caps(taking: caps), for: Caps(fixed), of: PadDirection(direction))
        }
        return gst_caps_fixate(gst_caps_ref(chosen.raw))
    }
    transform.pointee.sink_event = { transform, event in
        if event?.pointee.type == GST_EVENT_FLUSH_STOP { lend(transform) { $0.flushed() } }
        return parentClass(of: transform)?.pointee.sink_event?(transform, event) ?? 0
    }
    transform.pointee.before_transform = { transform, buffer in
        guard let transform, let buffer else { return }
        syncControlledProperties(of: transform, &transform.pointee.segment, at: buffer)
    }
}

/// Delays a flush until the element is not in use, because a handler of its messages may seek on the streaming thread.
struct DeferredFlush {
    /// Whether the element is in use.
    var isBusy = false
    private var isDue = false

    /// Whether the element can be flushed now.
    mutating func arrives() -> Bool {
        isDue = isBusy
        return !isBusy
    }

    /// Ends the use of the element; returns whether it must be flushed.
    mutating func ends() -> Bool {
        defer { (isBusy, isDue) = (false, false) }
        return isDue
    }
}

/// The Swift object of a `GstBaseTransform` with its own caps on each side.
class CapsTransformInstance<E: CapsTransform & ~Copyable>: ElementInstance<E> {
    private final var flush = DeferredFlush()

    final override var startsWithState: Bool { false }

    final override func transformCaps(_ caps: Caps, from side: PadDirection) -> Caps {
        E.transformCaps(caps, from: side, store.settings)
    }

    final override func fixate(_ caps: Caps, for fixed: Caps, of side: PadDirection) -> Caps {
        E.fixate(caps, for: fixed, of: side, store.settings)
    }

    final override func flushed() { if flush.arrives() { element.flush() } }

    /// Delays flushes until `endUse`.
    @inline(__always) final func beginUse() { flush.isBusy = true }
    @inline(__always) final func endUse() { if flush.ends() { element.flush() } }
}
