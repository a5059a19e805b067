extension SendspinSourceReport {
    /// Counts since the start of the application.
    struct Counts: Sendable {
        var connections = 0
        var connectionAttempts = 0
        var clears = 0
        var ends = 0
        var formats = 0
    }
}
