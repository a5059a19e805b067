/// Decides whether an acquire waits when all buffers up to the limit are in use, or the limit is raised.
///
/// While buffers come back, one of them will serve. When none has come back for a while, downstream keeps them on
/// purpose: a look-ahead, a decoder that reorders, an application. Waiting longer could deadlock the stream.
public struct GrowthLimit: Sendable, Equatable {
    /// A pool at its limit, with no idle buffer.
    public struct Standstill: Sendable, Equatable {
        /// The number of buffers, all in use.
        public var size: Int
        /// The time since a buffer came back, or since the first acquire found none.
        public var quiet: Duration
        /// The longest time that recently passed between two buffers that came back.
        public var longestGap: Duration

        public init(size: Int, quiet: Duration, longestGap: Duration = .zero) {
            self.size = size
            self.quiet = quiet
            self.longestGap = longestGap
        }
    }

    public enum Verdict: Sendable, Equatable {
        /// The acquire waits for a buffer, at most for so long before it asks again; nil waits without end.
        case wait(Duration?)
        /// The pool may have so many buffers at once.
        case raise(to: Int)
    }

    /// Longer than a frame lasts at 25 frames per second, and short beside the latency of a look-ahead.
    public static let shortestPatience: Duration = .milliseconds(50)
    public static let longestPatience: Duration = .seconds(1)
    /// How many of the longest gaps must pass without a buffer: a slow consumer is no look-ahead.
    public static let gaps = 3
    /// How many buffers are allowed at least with each raise.
    public static let leastStep = 8

    /// The limit that experience has set; 0 before the first raise.
    public private(set) var raised = 0

    public init() {}

    /// How long a pool may stand still before its limit is raised.
    public static func patience(longestGap: Duration) -> Duration {
        min(max(longestGap * gaps, shortestPatience), longestPatience)
    }

    /// Called when an acquire finds no idle buffer at the limit, and again each time it has waited as told.
    ///
    /// `limit` is the limit that is in force, `finalCap` the one that is never exceeded.
    public mutating func stoodStill(_ standstill: Standstill, limit: Int, finalCap: Int) -> Verdict {
        guard standstill.size < finalCap else { return .wait(nil) }
        // Another acquire, or the settings, have raised it meanwhile.
        guard standstill.size >= limit else { return .raise(to: limit) }
        let patience = Self.patience(longestGap: standstill.longestGap)
        guard standstill.quiet >= patience else { return .wait(patience - standstill.quiet) }
        // By half, so that a look-ahead of hundreds of frames costs a few waits, and a leak grows slowly at first.
        raised = min(standstill.size + max(Self.leastStep, standstill.size / 2), finalCap)
        return .raise(to: raised)
    }
}
