import CGStreamer

extension Event {
    /// An event that requests upstream to negotiate again.
    ///
    /// The corresponding C function is `gst_event_new_reconfigure`.
    public static func reconfigure() -> Event? { gst_event_new_reconfigure().map { Event(taking: $0) } }

    /// The event as one of the application; nil for other events.
    public var custom: CustomEvent? {
        guard raw.pointee.type == GST_EVENT_CUSTOM_UPSTREAM, let structure = gst_event_get_structure(raw) else {
            return nil
        }
        return CustomEvent(structure)
    }
}
