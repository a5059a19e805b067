/// Frequency measured by several methods, and whether they agree.
struct ClockReading {
    /// Nanoseconds per addition in a chain; an addition takes one cycle.
    let addition: Double
    /// Nanoseconds per multiplication in a chain; a multiplication takes a few whole cycles.
    let multiplication: Double
    /// Cycles per addition from the cycle counter of the processor; nil if the counter cannot be read.
    let cyclesOfAddition: Double?

    /// Cycles per 32-bit multiplication: 3 on x86-64 processors since 2008, elsewhere the nearest integer from 2 to 5.
    var cyclesOfMultiplication: Double {
        #if arch(x86_64)
            3
        #else
            min(max((multiplication / addition).rounded(), 2), 5)
        #endif
    }

    /// Cycles per nanosecond from each method.
    var byAdditions: Double { 1 / addition }
    var byMultiplications: Double { cyclesOfMultiplication / multiplication }
    var byCounter: Double? { cyclesOfAddition.map { $0 / addition } }

    /// The results of all methods, with a warning if they differ by more than 5 %.
    var summary: String {
        let counter = byCounter.map { "\(Table.digits($0)) by the processor's counter" } ?? "no counter of cycles"
        let methods = """
            clock: \(Table.digits(byAdditions)) GHz by a chain of additions, \(Table.digits(byMultiplications)) by \
            multiplications, \(counter)
            """
        return isAgreed ? methods : methods + "\nWARNING: the methods disagree, so figures in cycles are unreliable."
    }

    var isAgreed: Bool {
        [byMultiplications, byCounter ?? byAdditions].allSatisfy { abs($0 / byAdditions - 1) <= 0.05 }
    }
}
