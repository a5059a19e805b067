/// An element whose methods GStreamer calls on several threads at once, such as one that manages its own pads.
///
/// The protocol can be combined with a base class: `final class Source: PushSource, ConcurrentElement`. Calls for
/// buffers and serialized events of one sink pad are serialized; all other calls may be concurrent.
///
/// The corresponding C class is `GstElement`; the pad functions belong to `GstPad`.
public protocol ConcurrentElement: AnyObject, Element, Sendable {
    /// Called on the thread that has set a property.
    ///
    /// Calls on different threads may be out of order: the settings with the highest `revision` are the newest.
    func settingsChanged(_ settings: Settings, revision: UInt64)

    // MARK: GstElementClass

    /// Performs a state change. The default chains up, which activates the pads and changes the state of children.
    ///
    /// `start` runs before READY to PAUSED, `stop` after PAUSED to READY. The corresponding C method is `change_state`.
    func changeState(_ change: StateChange) -> StateChangeResult

    /// Handles an event that the application sends to the element. The default chains up.
    ///
    /// The corresponding C method is `send_event`.
    func sendEvent(_ event: consuming Event) -> Bool

    /// Creates a pad of a template with presence `request`; the default returns nil.
    ///
    /// `name` is nil if the element may choose the name. Use `ElementHost.addPad`. The corresponding C method is
    /// `request_new_pad`.
    func requestPad(_ template: PadTemplate, name: String?) -> Pad?

    /// Releases a pad that `requestPad` returned; the default removes the pad.
    ///
    /// The corresponding C method is `release_pad`.
    func releasePad(_ pad: borrowing Pad)

    /// The clock that the element provides to the pipeline; the default chains up.
    ///
    /// Call `ElementHost.setProvidesClock` in `init`. The corresponding C method is `provide_clock`.
    func provideClock() -> ClockReference?

    /// Called on each streaming thread of the element: at its start, before the first `loop`, and at its end.
    ///
    /// The corresponding messages are `GST_STREAM_STATUS_TYPE_ENTER` and `LEAVE`.
    func streamingThreadChanged(hasEntered: Bool)

    // MARK: Sink pads

    /// Processes a buffer; the default drops the buffer and returns an error. The C type is `GstPadChainFunction`.
    func chain(_ buffer: consuming Buffer, on pad: borrowing Pad) -> FlowResult
    /// Processes a buffer list; the default calls `chain` for each buffer. The C type is `GstPadChainListFunction`.
    func chain(_ list: consuming BufferList, on pad: borrowing Pad) -> FlowResult
    /// Handles an event from upstream; the default forwards the event. The C type is `GstPadEventFullFunction`.
    func sinkEvent(_ event: consuming Event, on pad: borrowing Pad) -> FlowResult
    /// Answers a query from upstream, or returns false; the default forwards it. The C type is `GstPadQueryFunction`.
    func sinkQuery(_ query: borrowing Query, on pad: borrowing Pad) -> Bool

    // MARK: Source pads

    /// Handles an event from downstream or returns false; the default forwards it. The C type is `GstPadEventFunction`.
    func sourceEvent(_ event: consuming Event, on pad: borrowing Pad) -> Bool
    /// Answers a query from downstream, or returns false; the default forwards it. The C type is `GstPadQueryFunction`.
    func sourceQuery(_ query: borrowing Query, on pad: borrowing Pad) -> Bool
    /// Called in a loop by the task of a source pad. The C type is `GstTaskFunction`.
    func loop(on pad: borrowing Pad)

    /// Called when a pad is activated or deactivated in push mode; false makes the state change fail.
    ///
    /// Activation in pull mode fails. The C type is `GstPadActivateModeFunction`.
    func activate(_ pad: borrowing Pad, isActive: Bool) -> Bool
}

extension ConcurrentElement {
    /// Returns the element itself.
    public static func concurrentView(of element: borrowing Self) -> (any ConcurrentElement)? { copy element }
    /// Does nothing.
    public func settingsChanged(_ settings: Settings, revision: UInt64) {}
    /// Chains up.
    public func changeState(_ change: StateChange) -> StateChangeResult { host.parentChangeState(change) }
    /// Chains up.
    public func sendEvent(_ event: consuming Event) -> Bool { host.parentSendEvent(event) }
    /// Returns nil.
    public func requestPad(_ template: PadTemplate, name: String?) -> Pad? { nil }
    /// Removes the pad.
    public func releasePad(_ pad: borrowing Pad) { host.removePad(pad) }
    /// Chains up.
    public func provideClock() -> ClockReference? { host.parentProvideClock() }
    /// Does nothing.
    public func streamingThreadChanged(hasEntered: Bool) {}

    /// Drops the buffer and returns an error.
    public func chain(_ buffer: consuming Buffer, on pad: borrowing Pad) -> FlowResult { .error }
    /// Calls `chain` for each buffer.
    public func chain(_ list: consuming BufferList, on pad: borrowing Pad) -> FlowResult {
        for index in 0..<list.count {
            guard let buffer = list.buffer(at: index) else { continue }
            let result = chain(buffer, on: pad)
            if result != .ok { return result }
        }
        return .ok
    }
    /// Forwards the event.
    public func sinkEvent(_ event: consuming Event, on pad: borrowing Pad) -> FlowResult {
        pad.handleByDefault(event) ? .ok : .error
    }
    /// Forwards the query.
    public func sinkQuery(_ query: borrowing Query, on pad: borrowing Pad) -> Bool { pad.answerByDefault(query) }
    /// Forwards the event.
    public func sourceEvent(_ event: consuming Event, on pad: borrowing Pad) -> Bool { pad.handleByDefault(event) }
    /// Forwards the query.
    public func sourceQuery(_ query: borrowing Query, on pad: borrowing Pad) -> Bool { pad.answerByDefault(query) }
    /// Does nothing.
    public func loop(on pad: borrowing Pad) {}
    /// Returns true.
    public func activate(_ pad: borrowing Pad, isActive: Bool) -> Bool { true }
}
