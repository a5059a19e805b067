/// An element with a sink pad, a source pad and a thread of its own on the source pad.
///
/// Nothing guards it: GStreamer calls from several threads at once. Frames and serialized events of the sink pad come
/// one at a time; all else may come at any moment.
///
/// The corresponding C class is `GstElement`.
public protocol PadElement: AnyObject, ElementDescription, Sendable {
    static var signals: [ElementSignal] { get }

    init(host: ElementHost, sink: Pad, source: Pad)

    /// Called on the thread that sets a property, after it has changed.
    ///
    /// Two threads may come in any order: the higher `revision` is the newer.
    func settingsChanged(_ settings: Settings, revision: UInt64)

    // MARK: The sink pad

    func receive(_ buffer: consuming Buffer) -> FlowResult
    func receive(_ list: consuming BufferList) -> FlowResult
    func receive(_ event: consuming Event) -> FlowResult
    func answerUpstream(_ query: Query) -> Bool
    /// Called when the sink pad is about to stream, or no longer to.
    func activateSink(_ isActive: Bool) -> Bool

    // MARK: The source pad

    func receiveFromDownstream(_ event: consuming Event) -> Bool
    func answerDownstream(_ query: Query) -> Bool
    func activateSource(_ isActive: Bool) -> Bool

    /// Called again and again on the source pad's thread, while its task is started.
    func runTask()
    /// Called on a streaming thread of the source pad when it begins, before `runTask`, and when it ends.
    func taskThreadEntered()
    func taskThreadLeft()

    // MARK: States

    /// Called on the way from READY to PAUSED, before the pads are activated; a throw makes the change fail.
    func start(_ settings: Settings) throws(ElementError)
    /// Called on the way from PAUSED to READY, after the pads are deactivated.
    func stop()
    /// Called when PLAYING is reached, or left.
    func playingChanged(_ isPlaying: Bool)
}

extension PadElement {
    public static var signals: [ElementSignal] { [] }
    public func settingsChanged(_ settings: Settings, revision: UInt64) {}
    public func taskThreadEntered() {}
    public func taskThreadLeft() {}
    public func start(_ settings: Settings) throws(ElementError) {}
    public func stop() {}
    public func playingChanged(_ isPlaying: Bool) {}
}
