/// A time of both clocks.
struct Moment: Sendable {
    /// Time of the monotonic clock.
    var local: Duration
    /// Time of the fake server.
    var server: Duration
}
