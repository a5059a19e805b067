public import CGStreamer

extension ElementReference {
    /// State of an element.
    ///
    /// The corresponding C type is `GstState`.
    public enum State: Sendable {
        /// The element has no resources.
        case null
        /// The element has resources that do not depend on the stream, such as an open device.
        case ready
        /// The pads are active, and a sink is prerolled.
        case paused
        /// The clock runs.
        case playing

        /// The state with the number of a C constant; `null` for `GST_STATE_VOID_PENDING`.
        public init(unsafe raw: GstState) {
            switch raw {
            case GST_STATE_READY: self = .ready
            case GST_STATE_PAUSED: self = .paused
            case GST_STATE_PLAYING: self = .playing
            default: self = .null
            }
        }

        fileprivate var raw: GstState {
            switch self {
            case .null: GST_STATE_NULL
            case .ready: GST_STATE_READY
            case .paused: GST_STATE_PAUSED
            case .playing: GST_STATE_PLAYING
            }
        }
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
