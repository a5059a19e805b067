public import CGStreamer

/// A strong reference to another element of the pipeline.
///
/// Any thread may use the reference. The corresponding C type is `GstElement`.
public final class ElementReference: @unchecked Sendable {  // The pointer is passed only to functions that are MT safe.
    let raw: UnsafeMutablePointer<GstElement>

    /// A new element of the factory `name`; nil if there is no such factory.
    ///
    /// The corresponding C function is `gst_element_factory_make`.
    public convenience init?(factory name: String, name instance: String? = nil) {
        guard let raw = gst_element_factory_make(name, instance) else { return nil }
        gst_object_ref_sink(raw)
        self.init(raw)
        gst_object_unref(raw)
    }

    /// A bin with the elements of a launch line and ghost pads for their unlinked pads; nil if the line is not valid.
    ///
    /// The corresponding C function is `gst_parse_bin_from_description`.
    public convenience init?(launchLine: String) {
        var error: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&error) }
        let bin = gst_parse_bin_from_description_full(launchLine, 1, nil, GST_PARSE_FLAG_FATAL_ERRORS, &error)
        guard let bin else { return nil }
        gst_object_ref_sink(bin)
        self.init(bin)
        gst_object_unref(bin)
    }

    /// The pad `name`; nil if there is none.
    ///
    /// The corresponding C function is `gst_element_get_static_pad`.
    public func pad(_ name: String) -> Pad? { gst_element_get_static_pad(raw, name).map { Pad(taking: $0) } }

    /// Links a source pad to a compatible sink pad of `other`; false if no two pads are compatible.
    ///
    /// The corresponding C function is `gst_element_link`.
    public func link(to other: ElementReference) -> Bool { gst_element_link(raw, other.raw) != 0 }

    /// Removes the link from this element to `other`.
    ///
    /// The corresponding C function is `gst_element_unlink`.
    public func unlink(from other: ElementReference) { gst_element_unlink(raw, other.raw) }

    /// Takes another reference.
    init(_ raw: UnsafeMutablePointer<GstElement>) {
        self.raw = raw
        gst_object_ref(raw)
    }

    /// Takes another reference.
    public convenience init(unsafe raw: UnsafeMutablePointer<GstElement>) { self.init(raw) }

    deinit { gst_object_unref(raw) }

    /// Address of the element, for comparison only.
    public var identity: UInt { UInt(bitPattern: raw) }
    /// The name of the instance in its pipeline.
    public var name: String { GStreamer.name(of: raw) }

    /// The factory name, as used in `gst-launch-1.0`; empty if there is no factory.
    public var factory: String {
        gst_element_get_factory(raw).map { GStreamer.name(of: UnsafeMutableRawPointer($0)) } ?? ""
    }

    /// The classification of the element, such as `["Codec", "Encoder", "Video"]`; empty if there is none.
    public var classes: [String] {
        guard let classes = gst_element_get_metadata(raw, GST_ELEMENT_METADATA_KLASS) else { return [] }
        return String(cString: classes).split(separator: "/").map(String.init)
    }

    var object: UnsafeMutablePointer<GObject> { UnsafeMutableRawPointer(raw).assumingMemoryBound(to: GObject.self) }

    /// The elements downstream of this element, depth first, at most 64; the call locks each of them briefly.
    public func elementsDownstream() -> [ElementReference] { PipelineWalk.elements(.downstream, of: raw) }

    /// The elements linked directly to the sink pads, also through ghost pads; the call locks each of them briefly.
    public func elementsLinkedUpstream() -> [ElementReference] {
        PipelineWalk.elements(.upstream, of: raw, isDeep: false)
    }

    /// The elements linked directly to the source pads, also through ghost pads; the call locks each of them briefly.
    public func elementsLinkedDownstream() -> [ElementReference] {
        PipelineWalk.elements(.downstream, of: raw, isDeep: false)
    }

    /// Whether the element is an instance of the class `typeName`, such as `GstAudioBaseSink`, or of a subclass.
    ///
    /// The corresponding C function is `g_type_is_a`.
    public func isInstance(of typeName: String) -> Bool {
        let type = g_type_from_name(typeName)
        return type != cgst_type_invalid() && g_type_is_a(cgst_type_of_instance(raw), type) != 0
    }

    /// The clock that the element provides now; nil if there is none.
    ///
    /// An audio sink provides the clock of its device. The corresponding C function is `gst_element_provide_clock`.
    public func provideClock() -> ClockReference? { gst_element_provide_clock(raw).map { ClockReference(taking: $0) } }

    /// Number of sink pads.
    ///
    /// The corresponding C field is `numsinkpads`.
    public var inputs: Int { Int(raw.pointee.numsinkpads) }

    /// The bin that contains the element; nil for the outermost bin.
    ///
    /// The corresponding C function is `gst_object_get_parent`.
    public var parent: ElementReference? {
        guard let parent = gst_object_get_parent(UnsafeMutableRawPointer(raw).assumingMemoryBound(to: GstObject.self))
        else { return nil }
        defer { gst_object_unref(parent) }
        return ElementReference(UnsafeMutableRawPointer(parent).assumingMemoryBound(to: GstElement.self))
    }

    /// Whether the element has a pad, or a template for a pad that can be added.
    ///
    /// The corresponding C function is `gst_element_class_get_pad_template_list`.
    public var canHavePads: Bool { raw.pointee.numpads > 0 || cgst_can_get_pads(raw) != 0 }

    /// Sends an event to the element; false if the element does not handle the event.
    ///
    /// The corresponding C function is `gst_element_send_event`.
    @discardableResult
    public func send(_ event: consuming Event) -> Bool { gst_element_send_event(raw, event.give()) != 0 }

    /// Whether the element is a sink.
    ///
    /// The corresponding C constant is `GST_ELEMENT_FLAG_SINK`.
    public var isSink: Bool { cgst_is_sink(raw) != 0 }

    /// Calls `body` with each sink pad, which is valid until `body` returns; the call locks the element briefly.
    ///
    /// The corresponding C function is `gst_element_foreach_sink_pad`.
    public func forEachSinkPad(_ body: (borrowing Pad) -> Void) { forEachPad(gst_element_foreach_sink_pad, body) }

    /// Calls `body` with each source pad, which is valid until `body` returns; the call locks the element briefly.
    ///
    /// The corresponding C function is `gst_element_foreach_src_pad`.
    public func forEachSourcePad(_ body: (borrowing Pad) -> Void) { forEachPad(gst_element_foreach_src_pad, body) }

    private typealias Visit = (borrowing Pad) -> Void

    private func forEachPad(
        _ forEach: (UnsafeMutablePointer<GstElement>?, GstElementForeachPadFunc?, gpointer?) -> gboolean,
        _ body: Visit
    ) {
        // The user data of the C callback is a pointer to the closure.
        withoutActuallyEscaping(body) { body in
            var body = body
            Swift.withUnsafeMutablePointer(to: &body) { body in
                _ = forEach(
                    raw,
                    { _, pad, body in
                        guard let pad, let body else { return 1 }
                        body.assumingMemoryBound(to: Visit.self).pointee(Pad(retaining: pad))
                        return 1
                    }, body)
            }
        }
    }

    /// Calls `body` with the C element.
    public func withUnsafePointer<R>(_ body: (UnsafeMutablePointer<GstElement>) throws -> R) rethrows -> R {
        try body(raw)
    }
}
