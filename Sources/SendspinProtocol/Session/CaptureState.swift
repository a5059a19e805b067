/// State of the captured audio that the owner reports to the session.
public struct CaptureState: Equatable, Sendable {
    /// Format of the captured audio; nil while none is captured, which makes the client unavailable, unless it
    /// is also a player.
    public var stream: PlayerStream?
    /// Whether the input has a signal; nil if it is not measured.
    public var signal: SignalState?

    /// Creates a state.
    public init(stream: PlayerStream? = nil, signal: SignalState? = nil) {
        self.stream = stream
        self.signal = signal
    }

    var isAvailable: Bool { stream != nil }
}
