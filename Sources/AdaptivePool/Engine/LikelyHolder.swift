/// An element that may hold a buffer.
public struct LikelyHolder: Sendable, Equatable {
    public let element: String
    /// False when the element is only the next one.
    public let hasReason: Bool
    public var isCertain = false
}
