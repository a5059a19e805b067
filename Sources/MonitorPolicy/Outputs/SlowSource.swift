/// A source that delivers fewer frames than its caps have, while nothing behind it is slow.
public struct SlowSource: Sendable, Equatable {
    /// Name of the source.
    public var element: String
    /// Frames a second that leave it.
    public var rate: Double
    /// Frames a second of its caps.
    public var framerate: Double
    /// Names of the queues behind it, which are nearly empty.
    public var queues: [String]
}
