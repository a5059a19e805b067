import CClock

/// The processor's clock as it is now: shared machines change it, so it is measured beside what it is for.
enum Clock {
    /// Cycles per nanosecond, by additions of which each waits for the one before.
    static func gigahertz() -> Double { 1 / least(of: 5) { timeOfAddition(count: 1 << 21) } }

    /// The clock by all methods there are, by turns, so that a clock that changes meanwhile is the same for all.
    ///
    /// The "cpu MHz" of /proc/cpuinfo is none of them: in a virtual machine it is a nominal value.
    static func read() -> ClockReading {
        var (addition, multiplication) = (Double.infinity, Double.infinity)
        var counted: Double?
        let counter = cclock_open_counter()
        for _ in 0..<400 {
            let before = counter < 0 ? 0 : cclock_read_counter(counter)
            let time = timeOfAddition(count: 1 << 15)
            let after = counter < 0 ? 0 : cclock_read_counter(counter)
            // What is slower has been interrupted.
            if time < addition {
                addition = time
                counted = after > before ? Double(after - before) / Double(1 << 15) : nil
            }
            multiplication = min(multiplication, timeOfMultiplication(count: 1 << 15))
        }
        if counter >= 0 { cclock_close_counter(counter) }
        return ClockReading(addition: addition, multiplication: multiplication, cyclesOfAddition: counted)
    }

    /// Nanoseconds that each of `count` additions takes.
    private static func timeOfAddition(count: UInt64) -> Double {
        let start = ContinuousClock.now
        guard cclock_add(count, 1) == count else { fatalError("The additions went wrong.") }
        return nanoseconds(.now - start) / Double(count)
    }

    /// Nanoseconds that each of `count` multiplications takes.
    private static func timeOfMultiplication(count: UInt64) -> Double {
        let start = ContinuousClock.now
        // The powers of -1 are 1 and -1.
        guard cclock_multiply(count, .max) == 1 else { fatalError("The multiplications went wrong.") }
        return nanoseconds(.now - start) / Double(count)
    }

    private static func least(of times: Int, _ measure: () -> Double) -> Double {
        (0..<times).reduce(.infinity) { least, _ in min(least, measure()) }
    }
}
