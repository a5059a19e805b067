/// Twelve short windows of a value that is sampled once a second, such as memory or power.
struct GaugeHistory: Sendable {
    private var samples: [(value: Double, time: Duration)] = []
    // Twelve short windows of five samples.
    private static let limit = 60
    private let spacing: Duration

    /// Creates an empty history with the windows of `ElementHistory`.
    init(shortWindow: Duration) { spacing = max(shortWindow, .nanoseconds(5)) / 5 }

    /// Takes a sample; ignores it if it is not finite, or if the previous sample is less than a tick old.
    mutating func tick(_ value: Double, now: Duration) {
        guard value.isFinite else { return }
        if let last = samples.last {
            guard now > last.time, now - last.time >= ElementHistory.shortestTick(spacing) else { return }
        }
        if samples.count == Self.limit { samples.removeFirst() }
        samples.append((value, now))
    }

    /// Mean and number of the samples of the last `length`; nil without samples.
    func mean(last length: Duration) -> (value: Double, count: UInt64)? {
        guard let end = samples.last?.time else { return nil }
        let start = max(end - length, .zero)
        // A sample stands for the tick that precedes it.
        let chosen = samples.filter { $0.time + (spacing / 2) >= start + spacing }
        guard !chosen.isEmpty else { return nil }
        return (chosen.reduce(0) { $0 + $1.value } / Double(chosen.count), UInt64(chosen.count))
    }
}
