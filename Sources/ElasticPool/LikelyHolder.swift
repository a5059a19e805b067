/// An element that may hold a buffer.
public struct LikelyHolder: Sendable, Equatable {
    public let element: String
    /// False when the element is named only because it is next to the pool.
    public let hasEvidence: Bool
    public var isCertain = false
}
