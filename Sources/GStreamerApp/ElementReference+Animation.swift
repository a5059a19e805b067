import CGStreamer
import Durations
public import GStreamer

extension ElementReference {
    /// Makes the property `name` follow `points`: times of the stream and values, between which the value is linear.
    ///
    ///     pipeline["wipe"]?.animate("position", [(.zero, 0), (.seconds(2), 1)])
    ///
    /// The element sets the property for each buffer, also after a seek. Before the first point, the value remains as it
    /// is; after the last one, it is that of this point. `sink_1::opacity` is a property of a pad. The points replace
    /// those before; without points, the property follows nothing. Returns false if a value is not finite, or if there is
    /// no such controllable property. The corresponding C types are `GstDirectControlBinding` and
    /// `GstInterpolationControlSource`.
    @discardableResult
    public func animate(_ name: String, _ points: [(time: Duration, value: Double)]) -> Bool {
        withUnsafePointer { element in
            var object: UnsafeMutablePointer<GObject>?
            var property = name
            if name.contains("::"), isInstance(of: "GstChildProxy") {
                var spec: UnsafeMutablePointer<GParamSpec>?
                guard gst_child_proxy_lookup(OpaquePointer(element), name, &object, &spec) != 0, let spec else {
                    return false
                }
                property = String(cString: spec.pointee.name)
            }
            defer { object.map { g_object_unref($0) } }
            // A child may be another GObject.
            if let object,
                !(object.withMemoryRebound(to: GTypeInstance.self, capacity: 1) {
                    g_type_check_instance_is_a($0, gst_object_get_type()) != 0
                })
            {
                return false
            }
            let target = (object.map { UnsafeMutableRawPointer($0) } ?? UnsafeMutableRawPointer(element))
                .assumingMemoryBound(to: GstObject.self)
            guard points.allSatisfy(\.value.isFinite), let source = gst_interpolation_control_source_new() else {
                return false
            }
            defer { gst_object_unref(source) }
            let raw = UnsafeMutableRawPointer(source)
            gst_util_set_object_arg(raw.assumingMemoryBound(to: GObject.self), "mode", "linear")
            for point in points {
                gst_timed_value_control_source_set(
                    raw.assumingMemoryBound(to: GstTimedValueControlSource.self),
                    GstClockTime(UInt64(clamping: Int64(nanosecondsOf: point.time))), point.value)
            }
            guard
                let binding = gst_direct_control_binding_new_absolute(
                    target, property, raw.assumingMemoryBound(to: GstControlSource.self))
            else { return false }
            gst_object_ref_sink(binding)
            defer { gst_object_unref(binding) }
            // GStreamer leaves it NULL for a property that is missing, or not controllable.
            return binding.pointee.pspec != nil && gst_object_add_control_binding(target, binding) != 0
        }
    }
}
