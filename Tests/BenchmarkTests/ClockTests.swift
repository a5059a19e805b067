import Testing

@testable import Benchmarks

/// Tests the measured clock rate, with which benchmarks convert nanoseconds to cycles.
@Suite struct ClockTests {
    @Test func methodsAgreeOnThisMachine() {
        let reading = Clock.read()
        #expect(reading.isAgreed, "\(reading.summary)")
        #expect(!reading.summary.contains("WARNING"))
        let ratio = Clock.gigahertz() / reading.byAdditions
        #expect((0.5...2).contains(ratio), "\(ratio)")
    }

    /// For a processor that combines additions and runs at 2.36 GHz, a chain of additions alone results in 6.3 GHz.
    @Test(arguments: [nil, 0.375])
    func combinedAdditionsAreNoticed(cyclesOfAddition: Double?) {
        let reading = ClockReading(
            addition: 1 / 6.3, multiplication: 3 / 2.36, cyclesOfAddition: cyclesOfAddition)
        #expect(!reading.isAgreed)
        #expect(reading.summary.contains("6.30 GHz by a chain of additions"), "\(reading.summary)")
        #expect(reading.summary.contains("WARNING"))
    }

    @Test func eitherMethodCanDisagree() {
        #expect(!ClockReading(addition: 0.4, multiplication: 1.2, cyclesOfAddition: 1.1).isAgreed)
        #expect(!ClockReading(addition: 0.4, multiplication: 1.3, cyclesOfAddition: 1).isAgreed)
        #expect(ClockReading(addition: 0.4, multiplication: 1.21, cyclesOfAddition: 1.02).isAgreed)
        #expect(ClockReading(addition: 0.4, multiplication: 1.2, cyclesOfAddition: nil).isAgreed)
    }
}
