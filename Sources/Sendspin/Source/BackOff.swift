/// Pause between two attempts to connect: it doubles up to half a minute.
struct BackOff {
    private static let firstPause = Duration.milliseconds(500)
    private static let longestPause = Duration.seconds(30)
    /// The longest pause, for a failure that only the user can repair.
    static let longest = BackOff(pause: longestPause)

    private var pause = firstPause

    init() {}
    private init(pause: Duration) { self.pause = pause }

    /// Whether there was no pause yet.
    var isFirst: Bool { pause == Self.firstPause }

    /// The next pause.
    mutating func next() -> Duration {
        defer { pause = min(pause * 2, Self.longestPause) }
        return pause
    }
}
