import CGStreamer

// A top-level bin that is not a GstPipeline must itself select a clock, set the base time and distribute the latency.

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

    /// Selects the clock of an element in this bin, or the system clock, and starts the running time at 0.
    ///
    /// Call this before the state change to PLAYING, which distributes the base time. The corresponding C functions are
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
    /// Another thread does the work, because the thread that posts the message may hold a lock of a sink in a state
    /// change. The corresponding C functions are `gst_bin_recalculate_latency` and `gst_element_call_async`.
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
