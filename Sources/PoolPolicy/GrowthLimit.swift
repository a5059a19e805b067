/// Decides whether an acquire waits or the limit is raised, when all buffers up to the limit are in use.
///
/// While buffers are released, the acquire waits for one. If none is released for a while, downstream keeps them on
/// purpose, as an encoder with look-ahead or a reordering decoder does. A longer wait could then deadlock the stream.
public struct GrowthLimit: Sendable, Equatable {
    /// Measurements of a pool that is at its limit and has no idle buffer.
    public struct Exhaustion: Sendable, Equatable {
        /// Number of buffers, all in use.
        public var size: Int
        /// Time since the last release, or since the first acquire that found no idle buffer.
        public var sinceRelease: Duration
        /// Longest recent time between two releases.
        public var longestGap: Duration

        /// Creates a value from its parts.
        public init(size: Int, sinceRelease: Duration, longestGap: Duration = .zero) {
            self.size = size
            self.sinceRelease = sinceRelease
            self.longestGap = longestGap
        }
    }

    /// Decision about an acquire at the limit.
    public enum Verdict: Sendable, Equatable {
        /// The acquire waits for a release, at most for this time; nil means that there is no timeout.
        case wait(Duration?)
        /// The new limit is this number of buffers.
        case raise(to: Int)
    }

    /// Shortest time without a release before the limit is raised: longer than one frame at 25 frames per second, and
    /// shorter than the latency of a look-ahead (promised in docs/elements/adaptivepool.md).
    static let shortestPatience: Duration = .milliseconds(50)
    /// Longest time without a release before the limit is raised (promised in docs/elements/adaptivepool.md).
    public static let longestPatience: Duration = .seconds(1)
    /// The limit is raised after this number of the longest gaps between two releases, so that a slow consumer does
    /// not count as a look-ahead (promised in docs/elements/adaptivepool.md).
    public static let gaps = 3
    /// Minimum increase of the limit, in buffers (promised in docs/elements/adaptivepool.md).
    public static let leastStep = 8

    /// The raised limit; 0 before the first raise.
    public private(set) var raised = 0

    public init() {}

    /// Time without a release after which the limit is raised.
    public static func patience(longestGap: Duration) -> Duration {
        min(max(longestGap * gaps, shortestPatience), longestPatience)
    }

    /// Called when an acquire finds no idle buffer at the limit, and again after each timeout.
    ///
    /// `limit` is the current limit, and `finalCap` its upper bound.
    public mutating func exhausted(_ exhaustion: Exhaustion, limit: Int, finalCap: Int) -> Verdict {
        guard exhaustion.size < finalCap else { return .wait(nil) }
        // Another acquire or a setting has raised the limit meanwhile.
        guard exhaustion.size >= limit else { return .raise(to: limit) }
        let patience = Self.patience(longestGap: exhaustion.longestGap)
        guard exhaustion.sinceRelease >= patience else { return .wait(patience - exhaustion.sinceRelease) }
        // The limit grows by half, so a look-ahead of hundreds of frames waits a few times, and a leak grows slowly.
        raised = min(exhaustion.size + max(Self.leastStep, exhaustion.size / 2), finalCap)
        return .raise(to: raised)
    }
}
