import CClock

/// The processor's clock as it is now: shared machines change it, so it is measured beside what it is for.
enum Clock {
    /// Cycles per nanosecond, by additions of which each waits for the one before.
    static func gigahertz() -> Double {
        let additions: UInt64 = 1 << 21
        let times = (0..<5).map { _ in
            let start = ContinuousClock.now
            guard cclock_add(additions) == additions else { fatalError("The additions went wrong.") }
            return nanoseconds(.now - start)
        }
        // What is slower has been interrupted.
        return Double(additions) / (times.min() ?? .infinity)
    }
}
