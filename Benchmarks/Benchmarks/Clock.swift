import CClock

/// Present frequency of the processor.
///
/// The frequency of a shared machine changes, so it is measured together with each time.
enum Clock {
    /// Cycles per nanosecond, from a chain of dependent additions.
    static func gigahertz() -> Double { 1 / least(of: 5) { timeOfAddition(count: 1 << 21) } }

    /// Measures the frequency by all available methods, alternately, so that a change affects all of them.
    ///
    /// The "cpu MHz" of /proc/cpuinfo is not used: in a virtual machine it is a nominal value.
    static func read() -> ClockReading {
        var (addition, multiplication) = (Double.infinity, Double.infinity)
        var counted: Double?
        let counter = cclock_open_counter()
        for _ in 0..<400 {
            let before = counter < 0 ? 0 : cclock_read_counter(counter)
            let time = timeOfAddition(count: 1 << 15)
            let after = counter < 0 ? 0 : cclock_read_counter(counter)
            // The fastest chain was not interrupted.
            if time < addition {
                addition = time
                counted = after > before ? Double(after - before) / Double(1 << 15) : nil
            }
            multiplication = min(multiplication, timeOfMultiplication(count: 1 << 15))
        }
        if counter >= 0 { cclock_close_counter(counter) }
        return ClockReading(addition: addition, multiplication: multiplication, cyclesOfAddition: counted)
    }

    /// Nanoseconds per addition, in a chain of `count`.
    private static func timeOfAddition(count: UInt64) -> Double {
        let start = ContinuousClock.now
        guard cclock_add(count, 1) == count else { fatalError("The sum of the additions is wrong.") }
        return nanoseconds(.now - start) / Double(count)
    }

    /// Nanoseconds per multiplication, in a chain of `count`.
    private static func timeOfMultiplication(count: UInt64) -> Double {
        let start = ContinuousClock.now
        // An even power of -1 is 1.
        guard cclock_multiply(count, .max) == 1 else { fatalError("The product of the multiplications is wrong.") }
        return nanoseconds(.now - start) / Double(count)
    }

    private static func least(of times: Int, _ measure: () -> Double) -> Double {
        (0..<times).reduce(.infinity) { least, _ in min(least, measure()) }
    }
}
