/// All figures of one element, or of the pipeline, at one time.
public struct ElementSnapshot: Sendable, Equatable {
    /// A value that the element itself reports: a pool size, frames in flight, drops for a reason, a thermal level.
    public struct Level: Sendable, Equatable {
        /// Name of the value, such as `pool-size`.
        public var name: String
        /// The part of the value that is meant, such as the reason of a drop; empty if there is one part.
        public var detail: String
        /// The value.
        public var value: Double
        /// Whether the value only rises.
        public var isCounter: Bool
        /// The largest value that it can have; nil without a limit.
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
    /// Figures of the last 30 s.
    var thirtySeconds: ElementFigures
    /// Figures of the last 60 s.
    var minute: ElementFigures
    /// Figures since the start.
    public var total: ElementFigures
    /// CPU time of its threads, in cores over the last tick; nil if it cannot be told.
    public var cpu: Double?
    /// How many of its threads were ready and had no processor, on average over the last tick; nil if it cannot be told.
    public var cpuWait: Double?
    /// Values that the element itself reports.
    public var levels: [Level] = []

    /// Kinds of the element: `source`, `sink`, `encoder`, `decoder`, `queue`.
    public var kinds: [String] = []
    /// Names of the elements that its source pads are linked to.
    public var links: [String] = []

    /// Takes the figures of a history.
    public init(name: String, factory: String, history: ElementHistory) {
        self.name = name
        self.factory = factory
        counts = history.counts
        fiveSeconds = ElementFigures(history.figures(last: .seconds(5)))
        thirtySeconds = ElementFigures(history.figures(last: .seconds(30)))
        minute = ElementFigures(history.figures(last: .seconds(60)))
        total = ElementFigures(history.figuresSinceStart)
    }

    /// Makes the blocked time absent in all windows.
    mutating func forgetBlocked() {
        fiveSeconds.blocked = nil
        thirtySeconds.blocked = nil
        minute.blocked = nil
        total.blocked = nil
    }
}
