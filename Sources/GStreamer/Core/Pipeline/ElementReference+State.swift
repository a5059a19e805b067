public import CGStreamer

extension ElementReference {
    /// State of an element.
    ///
    /// The corresponding C type is `GstState`, whose numbers are the raw values.
    public enum State: UInt32, Sendable {
        /// The element has no resources.
        case null = 1
        /// The element has resources that do not depend on the stream, such as an open device.
        case ready
        /// The pads are active, and a sink is prerolled.
        case paused
        /// The clock runs.
        case playing

        /// The state with the number of a C constant; `null` for `GST_STATE_VOID_PENDING`.
        public init(unsafe raw: GstState) { self = State(rawValue: raw.rawValue) ?? .null }

        fileprivate var raw: GstState { GstState(rawValue) }
    }

    /// Changes the state; do not call this method on a streaming thread of the element.
    ///
    /// The corresponding C function is `gst_element_set_state`.
    @discardableResult
    public func setState(_ state: State) -> StateChangeResult {
        StateChangeResult(gst_element_set_state(raw, state.raw))
    }

    /// Changes the state to the state of the parent bin; false if the state change fails.
    ///
    /// Call this after `ElementHost.add` while the bin is active. The corresponding C function is
    /// `gst_element_sync_state_with_parent`.
    @discardableResult
    public func syncStateWithParent() -> Bool { gst_element_sync_state_with_parent(raw) != 0 }

    /// Whether the state is PLAYING, or PAUSED while PLAYING is pending.
    ///
    /// Does not wait. False if the last state change failed. The corresponding C function is `gst_element_get_state`.
    public var isPlaying: Bool {
        var (state, pending) = (GST_STATE_NULL, GST_STATE_VOID_PENDING)
        guard gst_element_get_state(raw, &state, &pending, 0) != GST_STATE_CHANGE_FAILURE else { return false }
        return state == GST_STATE_PLAYING || (state == GST_STATE_PAUSED && pending == GST_STATE_PLAYING)
    }

    /// The time of the clock at which the running time is 0; nil if it is unknown.
    ///
    /// The corresponding C function is `gst_element_get_base_time`.
    public var baseTime: Duration? { Duration(gst_element_get_base_time(raw)) }

    /// The running time now; nil if the element has no clock.
    ///
    /// The corresponding C function is `gst_element_get_current_running_time`.
    public var runningTime: Duration? { Duration(gst_element_get_current_running_time(raw)) }

    /// Whether the element is a live source; for one that is no `GstBaseSrc`, a LATENCY query tells.
    ///
    /// A `GstBaseSrc` is not queried, because some sources answer LATENCY queries only after they have caps. The
    /// corresponding C function is `gst_base_src_is_live`.
    public var isLiveSource: Bool {
        if g_type_is_a(cgst_type_of_instance(raw), gst_base_src_get_type()) != 0 {
            return gst_base_src_is_live(UnsafeMutableRawPointer(raw).assumingMemoryBound(to: GstBaseSrc.self)) != 0
        }
        guard let query = gst_query_new_latency() else { return false }
        defer { gst_query_unref(query) }
        guard gst_element_query(raw, query) != 0 else { return false }
        var isLive: gboolean = 0
        gst_query_parse_latency(query, &isLive, nil, nil)
        return isLive != 0
    }

    /// Whether the current, next or pending state is PAUSED or PLAYING.
    public var isActive: Bool { cgst_element_is_active(raw) != 0 }

    /// Whether state changes of the parent bin exclude the element.
    ///
    /// The corresponding C functions are `gst_element_is_locked_state` and `gst_element_set_locked_state`.
    public var isStateLocked: Bool {
        get { gst_element_is_locked_state(raw) != 0 }
        set { gst_element_set_locked_state(raw, newValue ? 1 : 0) }
    }
}
