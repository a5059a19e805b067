import CGStreamer

// Elements and pads of a bin.

extension ElementReference {
    /// A new element of the factory `name`; nil when none is installed.
    ///
    /// The corresponding C function is `gst_element_factory_make`.
    public convenience init?(factory name: String, name instance: String? = nil) {
        guard let raw = gst_element_factory_make(name, instance) else { return nil }
        gst_object_ref_sink(raw)
        self.init(raw)
        gst_object_unref(raw)
    }

    /// The pad `name`; nil when there is none.
    ///
    /// The corresponding C function is `gst_element_get_static_pad`.
    public func pad(_ name: String) -> Pad? {
        guard let pad = gst_element_get_static_pad(raw, name) else { return nil }
        // The element keeps it.
        gst_object_unref(pad)
        return Pad(raw: pad)
    }
}

extension ElementHost {
    /// Adds an element to this bin, which owns it from then on.
    ///
    /// The corresponding C function is `gst_bin_add`.
    @discardableResult
    public func add(_ element: ElementReference) -> Bool {
        gst_bin_add(raw.assumingMemoryBound(to: GstBin.self), element.raw) != 0
    }

    /// Makes a pad of a bin that stands for `target`, a pad of an element inside, and adds it; without a target, it is
    /// not linked inside yet.
    ///
    /// The corresponding C function is `gst_ghost_pad_new_from_template`.
    @discardableResult
    public func addGhostPad(_ template: PadTemplate, target: Pad?) -> Pad? {
        guard let found = gst_element_get_pad_template(element, template.name) else { return nil }
        let ghost =
            target.map { gst_ghost_pad_new_from_template(template.name, $0.raw, found) }
            ?? gst_ghost_pad_new_no_target_from_template(template.name, found)
        guard let ghost, gst_element_add_pad(element, ghost) != 0 else { return nil }
        return Pad(raw: ghost)
    }
}

extension Pad {
    /// Handles an event as an element without an event function does: mostly, forwards it to the other pads.
    ///
    /// The corresponding C function is `gst_pad_event_default`.
    public func handleByDefault(_ event: consuming Event) -> Bool {
        let parent = gst_object_get_parent(&raw.pointee.object)
        defer { if let parent { gst_object_unref(parent) } }
        return gst_pad_event_default(raw, parent, event.give()) != 0
    }

    /// Answers a query as an element without a query function does: mostly, forwards it to the other pads.
    ///
    /// The corresponding C function is `gst_pad_query_default`.
    public func answerByDefault(_ query: Query) -> Bool {
        let parent = gst_object_get_parent(&raw.pointee.object)
        defer { if let parent { gst_object_unref(parent) } }
        return gst_pad_query_default(raw, parent, query.raw) != 0
    }
}

extension Event {
    /// The caps, when this is a CAPS event.
    ///
    /// The corresponding C function is `gst_event_parse_caps`.
    public var caps: Caps? {
        guard kind == .caps else { return nil }
        var caps: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(raw, &caps)
        return caps.map { Caps($0) }
    }
}

extension Buffer {
    /// When the buffer is presented, in the time of its segment.
    public var pts: Duration? { valid(raw.pointee.pts).map { .seconds(0) + .nanoseconds($0) } }

    /// How long the buffer lasts; setting it makes the buffer writable first.
    public var duration: Duration? {
        get { valid(raw.pointee.duration).map { .nanoseconds($0) } }
        set {
            makeWritable()
            guard let newValue, newValue >= .zero, newValue < .seconds(1 << 32) else {
                return raw.pointee.duration = .max
            }
            let (seconds, attoseconds) = newValue.components
            raw.pointee.duration = GstClockTime(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        }
    }
}
