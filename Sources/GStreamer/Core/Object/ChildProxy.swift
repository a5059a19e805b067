import CGStreamer

/// Implementation of `GstChildProxy`: the children of an element are its sink pads.
///
/// `gst-launch-1.0` sets properties of pads through it, as in `sink_1::opacity=0.5`.
enum ChildProxy {
    static func add(to type: GType) {
        var info = GInterfaceInfo()
        info.interface_init = { interface, _ in
            guard let methods = interface?.assumingMemoryBound(to: GstChildProxyInterface.self) else { return }
            methods.pointee.get_children_count = { proxy in
                guard let proxy else { return 0 }
                return whileLocked(UnsafeMutablePointer<GstElement>(proxy)) { guint($0.pointee.numsinkpads) }
            }
            methods.pointee.get_child_by_index = { proxy, index in
                guard let proxy else { return nil }
                return whileLocked(UnsafeMutablePointer<GstElement>(proxy)) {
                    guard let pad = g_list_nth_data($0.pointee.sinkpads, index) else { return nil }
                    return g_object_ref(pad)?.assumingMemoryBound(to: GObject.self)
                }
            }
        }
        g_type_add_interface_static(type, gst_child_proxy_get_type(), &info)
    }

    /// Emits the signal `child-added` or `child-removed` of the element.
    static func announce(_ pad: UnsafeMutablePointer<GstPad>, of element: UnsafeMutablePointer<GstElement>, isNew: Bool)
    {
        let emit = isNew ? gst_child_proxy_child_added : gst_child_proxy_child_removed
        emit(
            OpaquePointer(element), UnsafeMutableRawPointer(pad).assumingMemoryBound(to: GObject.self), name(of: pad))
    }
}

/// Calls `body` with the mutex of an element locked, which protects its lists of pads.
///
/// The corresponding C macro is `GST_OBJECT_LOCK`.
func whileLocked<R>(
    _ element: UnsafeMutablePointer<GstElement>, _ body: (UnsafeMutablePointer<GstElement>) -> R
) -> R {
    g_mutex_lock(&element.pointee.object.lock)
    defer { g_mutex_unlock(&element.pointee.object.lock) }
    return body(element)
}
