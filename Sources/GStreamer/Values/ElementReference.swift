import CGStreamer
import Synchronization

/// Another element of the pipeline, kept alive while it is looked at.
///
/// Any thread may use it. The corresponding C type is `GstElement`.
public final class ElementReference: @unchecked Sendable {  // Only MT safe calls go through it.
    private let raw: UnsafeMutablePointer<GstElement>

    /// Takes a reference of its own.
    init(_ raw: UnsafeMutablePointer<GstElement>) {
        self.raw = raw
        gst_object_ref(raw)
    }

    deinit { gst_object_unref(raw) }

    /// Tells one element from another; never followed.
    public var identity: UInt { UInt(bitPattern: raw) }
    public var name: String { ElementHost(raw: UnsafeMutableRawPointer(raw)).name }

    /// The name used in `gst-launch-1.0`.
    public var factory: String {
        guard let factory = gst_element_get_factory(raw),
            let name = gst_object_get_name(UnsafeMutableRawPointer(factory).assumingMemoryBound(to: GstObject.self))
        else { return "" }
        defer { g_free(name) }
        return String(cString: name)
    }

    /// What kind of element it is, such as `["Codec", "Encoder", "Video"]`.
    public var classes: [String] {
        guard let classes = gst_element_get_metadata(raw, GST_ELEMENT_METADATA_KLASS) else { return [] }
        return String(cString: classes).split(separator: "/").map(String.init)
    }

    // MARK: Numbers

    /// The property `name` when it is a whole number that is not negative.
    public func number(_ name: String) -> UInt64? {
        let type = cgst_property_type(raw, name)
        guard type != cgst_type_invalid() else { return nil }
        var value = GValue()
        var number = GValue()
        g_value_init(&value, type)
        g_value_init(&number, cgst_type_int64())
        defer {
            g_value_unset(&value)
            g_value_unset(&number)
        }
        g_object_get_property(object, name, &value)
        guard g_value_type_transformable(type, cgst_type_int64()) != 0, g_value_transform(&value, &number) != 0 else {
            return nil
        }
        return UInt64(exactly: g_value_get_int64(&number))
    }

    /// Sets the property `name`, which must be a number.
    public func set(_ name: String, to number: UInt64) {
        guard cgst_property_type(raw, name) != cgst_type_invalid() else { return }
        var value = GValue()
        g_value_init(&value, cgst_type_int64())
        defer { g_value_unset(&value) }
        g_value_set_int64(&value, gint64(clamping: number))
        g_object_set_property(object, name, &value)
    }

    /// The field `field` of the property `name`, which holds a structure; 0 when the field is not there.
    public func control(_ field: String, in name: String) -> UInt64? {
        guard cgst_property_type(raw, name) == gst_structure_get_type() else { return nil }
        return withStructure(name) { structure in
            var number: gint = 0
            guard let structure, gst_structure_get_int(structure, field, &number) != 0 else { return 0 }
            return UInt64(max(0, number))
        }
    }

    /// Sets the field `field` of the property `name`, which holds a structure; 0 takes the field out.
    public func set(_ field: String, in name: String, to number: UInt64) {
        guard cgst_property_type(raw, name) == gst_structure_get_type() else { return }
        let changed: UnsafeMutablePointer<GstStructure>? = withStructure(name) { structure in
            structure.map { gst_structure_copy($0) } ?? gst_structure_new_empty("controls")
        }
        guard let changed else { return }
        if number == 0 {
            gst_structure_remove_field(changed, field)
        } else {
            var value = GValue()
            g_value_init(&value, cgst_type_int())
            g_value_set_int(&value, gint(clamping: number))
            gst_structure_take_value(changed, field, &value)
        }
        var value = GValue()
        g_value_init(&value, gst_structure_get_type())
        if gst_structure_n_fields(changed) > 0 { g_value_set_boxed(&value, changed) }
        g_object_set_property(object, name, &value)
        g_value_unset(&value)
        gst_structure_free(changed)
    }

    private func withStructure<Result>(
        _ name: String, _ body: (UnsafeMutablePointer<GstStructure>?) -> Result
    ) -> Result {
        var value = GValue()
        g_value_init(&value, gst_structure_get_type())
        defer { g_value_unset(&value) }
        g_object_get_property(object, name, &value)
        return body(g_value_get_boxed(&value)?.assumingMemoryBound(to: GstStructure.self))
    }

    // MARK: What comes out

    /// Counts the bytes that leave the element's source pad, from now on.
    public func countBytes() -> ByteMeter? {
        guard let pad = gst_element_get_static_pad(raw, "src") else { return nil }
        defer { gst_object_unref(pad) }
        return ByteMeter(pad)
    }

    private var object: UnsafeMutablePointer<GObject> {
        UnsafeMutableRawPointer(raw).assumingMemoryBound(to: GObject.self)
    }
}

/// Counts the bytes that go through a pad, until it is let go.
///
/// Any thread may look. The corresponding C type is `GstPadProbe`.
public final class ByteMeter: @unchecked Sendable {  // Pads guard their probes; the count is atomic.
    private final class Count: Sendable {
        let bytes = Atomic<UInt64>(0)
    }

    private let pad: UnsafeMutablePointer<GstPad>
    private let count = Count()
    private let probe: gulong

    public var bytes: UInt64 { count.bytes.load(ordering: .relaxed) }

    init?(_ pad: UnsafeMutablePointer<GstPad>) {
        let data = Unmanaged.passRetained(count).toOpaque()
        probe = gst_pad_add_probe(
            pad,
            GstPadProbeType(rawValue: GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue),
            { _, info, data in
                guard let info, let data else { return GST_PAD_PROBE_OK }
                let size = cgst_probe_bytes(info)
                Unmanaged<Count>.fromOpaque(data)._withUnsafeGuaranteedRef {
                    _ = $0.bytes.wrappingAdd(UInt64(size), ordering: .relaxed)
                }
                return GST_PAD_PROBE_OK
            }, data, { Unmanaged<Count>.fromOpaque($0!).release() })
        self.pad = pad
        gst_object_ref(pad)
    }

    deinit {
        gst_pad_remove_probe(pad, probe)
        gst_object_unref(pad)
    }
}

extension ElementHost {
    /// The elements behind this one's source pads, nearest first; takes their locks for a moment.
    public func elementsDownstream() -> [ElementReference] {
        var found: [ElementReference] = []
        var walk = PipelineWalk(.downstream) { element in
            if !found.contains(where: { $0.identity == UInt(bitPattern: element) }) {
                found.append(ElementReference(element))
            }
            return true
        }
        walk.leave(element)
        return found
    }

    /// Whether a `tee` upstream sends what comes in here elsewhere as well; takes the locks of elements for a moment.
    public func sharesItsSource() -> Bool {
        var isShared = false
        var walk = PipelineWalk(.upstream) { element in
            isShared = ElementReference(element).factory == "tee" && linkedSourcePads(of: element) > 1
            return !isShared
        }
        walk.leave(element)
        return isShared
    }

    private func linkedSourcePads(of element: UnsafeMutablePointer<GstElement>) -> Int {
        var count = 0
        _ = gst_element_foreach_src_pad(
            element,
            { _, pad, count in
                if gst_pad_is_linked(pad) != 0 { count?.assumingMemoryBound(to: Int.self).pointee += 1 }
                return 1
            }, &count)
        return count
    }

    /// The element called `name` in the same pipeline.
    public func neighbour(named name: String) -> ElementReference? {
        var top = gst_object_ref(raw).map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GstObject.self) }
        while let here = top, let above = gst_object_get_parent(here) {
            gst_object_unref(here)
            top = above
        }
        guard let top else { return nil }
        defer { gst_object_unref(top) }
        guard cgst_is_bin(top) != 0,
            let found = gst_bin_get_by_name(UnsafeMutableRawPointer(top).assumingMemoryBound(to: GstBin.self), name)
        else { return nil }
        defer { gst_object_unref(found) }
        return ElementReference(found)
    }

    /// Keeps the element alive for as long as what is returned.
    public func retained() -> ElementReference { ElementReference(element) }
}
