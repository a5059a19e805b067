/// A time on the monotonic clock and on the clock of the fake server.
struct Moment: Sendable {
    /// Time of the monotonic clock.
    var local: Duration
    /// Time of the fake server.
    var server: Duration
}
