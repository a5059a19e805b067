/// Decides when a warning about a lasting condition is repeated: each pause is twice the one before.
public struct WarningPace: Sendable, Equatable {
    /// Pause after the first warning.
    public static let shortestPause: Duration = .seconds(2)
    /// Longest pause between two warnings; each is twice the one before.
    public static let longestPause: Duration = .seconds(60)

    private var lastWarning: Duration?
    private var pause = Self.shortestPause

    public init() {}

    /// Whether a warning is due while the condition holds at `now`.
    public func isDue(at now: Duration) -> Bool { lastWarning.map { now - $0 >= pause } ?? true }

    /// Called when the warning was posted.
    public mutating func warned(at now: Duration) {
        if let lastWarning {
            // A condition that returns after three pauses counts as new.
            pause = now - lastWarning > pause * 3 ? Self.shortestPause : min(pause * 2, Self.longestPause)
        }
        lastWarning = now
    }
}
