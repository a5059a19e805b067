/// Counts of an element at one time, for targets.
public struct WatchedElement: Sendable {
    /// Name of the element.
    public var name: String
    /// Other names by which a target may mean it: its factory, its kind (`source`, `sink`, `encoder`, `decoder`, `queue`).
    public var kinds: [String]
    /// Counts since the start.
    public var counts: ElementCounts
    /// Memory of the element in bytes, if it is known.
    public var memory: Double?
    /// Power of the element in watts, if it is known.
    public var power: Double?

    /// Creates an element without memory and power.
    public init(name: String, kinds: [String] = [], counts: ElementCounts) {
        self.name = name
        self.kinds = kinds
        self.counts = counts
    }
}
