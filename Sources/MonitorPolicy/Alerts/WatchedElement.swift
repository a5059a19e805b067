/// Counts of one element at one time, for targets.
public struct WatchedElement: Sendable {
    /// Name of the element.
    public var name: String
    /// Other names that a target may match: its factory and kinds (`source`, `sink`, `encoder`, `decoder`, `queue`).
    public var kinds: [String]
    /// Counts since the start.
    public var counts: ElementCounts
    /// Memory of the element in bytes; nil if unknown.
    public var memory: Double?
    /// Power of the element in watts; nil if unknown.
    public var power: Double?

    /// Creates an element without memory and power.
    public init(name: String, kinds: [String] = [], counts: ElementCounts) {
        self.name = name
        self.kinds = kinds
        self.counts = counts
    }
}
