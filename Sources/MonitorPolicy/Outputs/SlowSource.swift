/// A source that delivers fewer frames than its caps announce, although no downstream element is slow.
public struct SlowSource: Sendable, Equatable {
    /// Name of the source.
    public var element: String
    /// Frames per second that leave the source.
    public var rate: Double
    /// Frames per second in its caps.
    public var framerate: Double
    /// Names of the downstream queues, which are nearly empty.
    public var queues: [String]
}
