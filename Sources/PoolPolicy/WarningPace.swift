/// Repeats a warning about a lasting condition; each pause is twice the previous one.
public struct WarningPace: Sendable, Equatable {
    /// Pause after the first warning (promised in docs/elements/adaptivepool.md).
    public static let shortestPause: Duration = .seconds(2)
    /// Longest pause between two warnings (promised in docs/elements/adaptivepool.md).
    public static let longestPause: Duration = .seconds(60)

    private var lastWarning: Duration?
    private var pause = Self.shortestPause

    public init() {}

    /// Whether a warning is due at `now` while the condition holds.
    public func isDue(at now: Duration) -> Bool { lastWarning.map { now - $0 >= pause } ?? true }

    /// Records that a warning was posted.
    public mutating func warned(at now: Duration) {
        if let lastWarning {
            // A condition that returns after three pauses counts as new.
            pause = now - lastWarning > pause * 3 ? Self.shortestPause : min(pause * 2, Self.longestPause)
        }
        lastWarning = now
    }
}
