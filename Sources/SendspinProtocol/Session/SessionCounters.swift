/// Counters of a session, for statistics.
public struct SessionCounters: Equatable, Sendable {
    /// WebSocket messages of the server.
    public var messagesReceived = 0
    /// Valid chunks of audio that arrived while a stream was active.
    public var chunksReceived = 0
    /// Chunks that arrived while no stream was active or the player was unavailable.
    public var chunksIgnored = 0
    /// Messages that were ignored, for example because of a fault.
    public var messagesIgnored = 0
    /// Images that were discarded because they are too large or their channel is not configured.
    public var imagesDiscarded = 0
    /// Messages and frames of the visualizer role that were dropped, for example because their time had passed.
    public var visualizerDropped = 0
    /// Handshakes after the first one.
    public var rehandshakes = 0
    /// Steps of the server clock.
    public var clockSteps = 0

    /// Creates counts of 0.
    public init() {}
}
