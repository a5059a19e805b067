/// Decides how often a warning about a lasting condition is repeated: often at first, then ever less.
public struct WarningPace: Sendable, Equatable {
    public static let shortestPause: Duration = .seconds(2)
    public static let longestPause: Duration = .seconds(60)

    private var lastWarning: Duration?
    private var pause = Self.shortestPause

    public init() {}

    /// Whether a warning is due, with the condition present at `now`.
    public func isDue(at now: Duration) -> Bool { lastWarning.map { now - $0 >= pause } ?? true }

    /// Called when the warning was posted.
    public mutating func warned(at now: Duration) {
        if let lastWarning {
            // A condition that has been away for long is a new one.
            pause = now - lastWarning > pause * 3 ? Self.shortestPause : min(pause * 2, Self.longestPause)
        }
        lastWarning = now
    }
}
