/// Takes a bounded number of items from a longer list in turns.
public struct Turns: Sendable {
    private var next = 0

    /// Creates turns that begin with the first item.
    public init() {}

    /// Returns at most `most` positions in a list of `count` items, after those of the last call.
    public mutating func take(_ most: Int, of count: Int) -> [Int] {
        guard count > 0, most > 0 else { return [] }
        guard most < count else { return Array(0..<count) }
        let first = next < count ? next : 0
        next = (first + most) % count
        return (0..<most).map { (first + $0) % count }
    }
}
