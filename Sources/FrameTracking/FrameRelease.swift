/// The times of a frame that came back, by one clock.
public struct FrameRelease: Sendable, Equatable {
    /// When the frame entered the queue.
    public let enteredAt: Duration
    /// When the frame had age 0; nil when that is not known.
    public let bornAt: Duration?
    /// When the frame was pushed.
    public let pushedAt: Duration
    /// When the last reference to the frame was released.
    public let releasedAt: Duration

    /// How old the frame was, against its own time, when it was released.
    public var age: Duration? { bornAt.map { releasedAt - $0 } }
}
