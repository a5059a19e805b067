/// An element that may hold a buffer.
public struct LikelyHolder: Sendable, Equatable {
    public let element: String
    /// False when only its place, next to the pool, points to the element.
    public let hasEvidence: Bool
    public var isCertain = false
}
