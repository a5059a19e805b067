/// The clock as several methods measure it, and whether they agree.
struct ClockReading {
    /// Nanoseconds of an addition in a chain, which takes one cycle.
    let addition: Double
    /// Nanoseconds of a multiplication in a chain, which takes a few whole cycles.
    let multiplication: Double
    /// Cycles of an addition by the processor's own counter, where it may be read.
    let cyclesOfAddition: Double?

    /// Cycles of a 32-bit multiplication: 3 on x86-64 processors since 2008; elsewhere the whole number that fits best.
    var cyclesOfMultiplication: Double {
        #if arch(x86_64)
            3
        #else
            min(max((multiplication / addition).rounded(), 2), 5)
        #endif
    }

    /// Cycles per nanosecond by each method.
    var byAdditions: Double { 1 / addition }
    var byMultiplications: Double { cyclesOfMultiplication / multiplication }
    var byCounter: Double? { cyclesOfAddition.map { $0 / addition } }

    /// One line: the methods, and a warning when they differ by more than 5 %.
    var summary: String {
        let counter = byCounter.map { "\(Table.digits($0)) by the processor's counter" } ?? "no counter of cycles"
        let methods = """
            clock: \(Table.digits(byAdditions)) GHz by a chain of additions, \(Table.digits(byMultiplications)) by \
            multiplications, \(counter)
            """
        return isAgreed ? methods : methods + "\nWARNING: they disagree, so do not trust what is given in cycles."
    }

    var isAgreed: Bool {
        [byMultiplications, byCounter ?? byAdditions].allSatisfy { abs($0 / byAdditions - 1) <= 0.05 }
    }
}
