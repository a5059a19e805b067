/// Times of a released frame, measured with `MonotonicClock`.
public struct FrameRelease: Sendable, Equatable {
    /// When the frame entered the queue.
    public let enteredAt: Duration
    /// Time at which the clock reached the timestamp of the frame; nil if unknown.
    public let bornAt: Duration?
    /// When the frame was pushed.
    public let pushedAt: Duration
    /// When the last reference to the frame was released.
    public let releasedAt: Duration

    /// Age of the frame at its release: `releasedAt` minus `bornAt`.
    public var age: Duration? { bornAt.map { releasedAt - $0 } }
}
