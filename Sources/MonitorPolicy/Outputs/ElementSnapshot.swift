/// All figures of one element, or of the pipeline, at one time.
public struct ElementSnapshot: Sendable, Equatable {
    /// A value that the element reports: a pool size, frames in flight, drops for a reason, a thermal level.
    public struct Level: Sendable, Equatable {
        /// Name of the value, such as `pool-size`.
        public var name: String
        /// Part of the value, such as the reason of a drop; empty if the value has one part.
        public var detail: String
        /// The value.
        public var value: Double
        /// Whether the value only rises.
        public var isCounter: Bool
        /// Largest possible value; nil without a limit.
        public var limit: Double?

        /// Creates a level.
        public init(
            _ name: String, detail: String = "", _ value: Double, isCounter: Bool = false, limit: Double? = nil
        ) {
            self.name = name
            self.detail = detail
            self.value = value
            self.isCounter = isCounter
            self.limit = limit
        }
    }

    /// Name of the element; unique within the pipeline.
    public var name: String
    /// Name of its factory.
    public var factory: String
    /// Counts since the start.
    public var counts: ElementCounts
    /// Figures of the last 5 s.
    public var fiveSeconds: ElementFigures
    var thirtySeconds: ElementFigures
    var minute: ElementFigures
    /// Figures since the start.
    public var total: ElementFigures
    /// CPU time of its threads over the last tick, in cores; nil if unknown.
    public var cpu: Double?
    /// Mean number of its threads that waited for a processor over the last tick; nil if unknown.
    public var cpuWait: Double?
    /// Values that the element reports.
    public var levels: [Level] = []

    /// Kinds of the element: `source`, `sink`, `encoder`, `decoder`, `queue`.
    public var kinds: [String] = []
    /// Names of the elements to which its source pads are linked.
    public var links: [String] = []

    /// Creates a snapshot from a history.
    public init(name: String, factory: String, history: ElementHistory) {
        self.name = name
        self.factory = factory
        counts = history.counts
        fiveSeconds = ElementFigures(history.figures(last: .seconds(5)))
        thirtySeconds = ElementFigures(history.figures(last: .seconds(30)))
        minute = ElementFigures(history.figures(last: .seconds(60)))
        total = ElementFigures(history.figuresSinceStart)
    }

    mutating func forgetBlocked() {
        fiveSeconds.blocked = nil
        thirtySeconds.blocked = nil
        minute.blocked = nil
        total.blocked = nil
    }
}
