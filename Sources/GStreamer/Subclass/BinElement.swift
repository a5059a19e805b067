/// An element that contains elements.
///
/// Make the elements inside in `init`, with `ElementHost.add(_:)`, and show their pads with `addGhostPad`. Data passes
/// between the pads and the elements inside; `Pad.connect` lets the bin handle what comes through one of its pads.
///
/// The corresponding C class is `GstBin`.
public protocol BinElement: AnyObject, ElementDescription, Sendable {
    static var capsSignals: [CapsSignal] { get }

    init(host: ElementHost)

    /// Called on the thread that sets a property, after it has changed; of two calls, the higher `revision` is newer.
    func settingsChanged(_ settings: Settings, revision: UInt64)

    /// Handles an event that the application sends to the element. The C method is `send_event`.
    func sendEvent(_ event: consuming Event) -> Bool

    // MARK: Pads that are connected

    /// Takes a buffer. The C type is `GstPadChainFunction`.
    func chain(_ buffer: consuming Buffer, on pad: Pad) -> FlowResult
    /// Handles an event from upstream. The C type is `GstPadEventFullFunction`.
    func sinkEvent(_ event: consuming Event, on pad: Pad) -> FlowResult
    /// Answers a query from upstream. The C type is `GstPadQueryFunction`.
    func sinkQuery(_ query: Query, on pad: Pad) -> Bool
    /// Handles an event from downstream. The C type is `GstPadEventFunction`.
    func sourceEvent(_ event: consuming Event, on pad: Pad) -> Bool

    // MARK: States

    /// Called on the way from READY to PAUSED; a throw makes the change fail.
    func start(_ settings: Settings) throws(ElementError)
    /// Called on the way from PAUSED to READY, before the pads are deactivated.
    func beginStop()
    /// Called on the way from PAUSED to READY, after the pads are deactivated.
    func stop()
}

extension BinElement {
    public static var capsSignals: [CapsSignal] { [] }
}
