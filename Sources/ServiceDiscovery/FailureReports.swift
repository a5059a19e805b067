/// Decides which failures are reported: each attempt without a daemon has the same result, which is reported once.
struct FailureReports {
    private var last: DiscoveryError?

    /// Whether the failure differs from the one before it.
    mutating func isNew(_ error: DiscoveryError) -> Bool {
        defer { last = error }
        return error != last
    }

    /// The daemon runs: the next failure is new.
    mutating func succeeded() { last = nil }
}
