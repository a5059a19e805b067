import CGStreamer

// A bin that is in no other bin lacks what a GstPipeline provides: a clock, a base time, and a latency.

extension ElementHost {
    /// Whether the element is in a bin.
    ///
    /// The corresponding C function is `gst_object_get_parent`.
    public var hasParent: Bool {
        withUnsafePointer { element in
            guard let parent = gst_object_get_parent(&element.pointee.object) else { return false }
            gst_object_unref(parent)
            return true
        } ?? false
    }

    /// Selects the clock that an element of this bin provides, or the system clock, and starts the running time.
    ///
    /// Call it before the state change to PLAYING, which passes the base time on. The corresponding C functions are
    /// `gst_element_set_clock` and `gst_element_set_base_time`.
    public func startRunningTime() {
        withUnsafePointer { element in
            guard let clock = gst_element_provide_clock(element) ?? gst_system_clock_obtain() else { return }
            gst_element_set_clock(element, clock)
            gst_element_set_base_time(element, gst_clock_get_time(clock))
            gst_object_unref(clock)
        }
    }

    /// Distributes the latency to the elements of this bin, as an application does at a LATENCY message.
    ///
    /// It is done on another thread: the thread that posts the message may hold a lock of a sink that changes its state.
    /// The corresponding C functions are `gst_bin_recalculate_latency` and `gst_element_call_async`.
    public func recalculateLatency() {
        withUnsafePointer {
            gst_element_call_async(
                $0,
                { bin, _ in
                    guard let bin else { return }
                    gst_bin_recalculate_latency(UnsafeMutableRawPointer(bin).assumingMemoryBound(to: GstBin.self))
                }, nil, nil)
        }
    }
}
