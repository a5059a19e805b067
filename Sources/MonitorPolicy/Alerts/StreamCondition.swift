/// State of the stream at a tick, as required by `VoteLadder`.
public struct StreamCondition: Sendable, Equatable {
    /// Whether a frame passed any element since the last tick; false while paused.
    public var isFlowing = true
    /// Whether a `thermalcaps` in the pipeline reduces the quality, because of heat or of a request.
    public var isReduced = false

    /// Creates the condition of a stream that flows at full quality.
    public init() {}
}
