import Durations
import GstTestSupport
import SendspinProtocol
import Testing
import Threads

@testable import Sendspin

/// Tests the clock that `sendspinsrc` provides, with extreme estimates of the server clock.
@Suite struct SourceClockTests {
    private func estimate(_ offset: Duration) -> ClockEstimate {
        ClockEstimate(at: MonotonicClock.now, offset: offset, drift: 0, uncertainty: .zero)
    }

    /// The clock has returned a time that the clock of the next server may not reach for a long time.
    @Test(arguments: [Duration.seconds(-1_000_000), .seconds(1_000_000), .seconds(9_000_000_000)], [true, false])
    func continuesWhereItIs(offset: Duration, isStep: Bool) throws {
        let clock = try #require(SendspinClock())
        var shift = Duration.zero
        #expect(clock.follow(estimate(.seconds(2_000_000)), shift: &shift, isStep: false))
        let before = try #require(clock.reference.time)
        #expect(clock.follow(estimate(offset), shift: &shift, isStep: isStep))
        let after = try #require(clock.reference.time)
        #expect(after - before < .seconds(100))
        let later = MonotonicClock.now + .milliseconds(1)
        #expect(eventually { MonotonicClock.now > later })
        #expect(try #require(clock.reference.time) > after)
    }

    @Test func movesByLittleAtATime() throws {
        let clock = try #require(SendspinClock())
        var shift = Duration.zero
        _ = clock.follow(estimate(.seconds(10)), shift: &shift, isStep: true)
        #expect(!clock.follow(estimate(.milliseconds(9_950)), shift: &shift, isStep: false))
        // The clock is ahead of the new server clock, but must not stop until that clock reaches its time.
        let before = try #require(clock.reference.time)
        #expect(clock.follow(estimate(.seconds(5)), shift: &shift, isStep: true))
        let later = MonotonicClock.now + .milliseconds(1)
        #expect(eventually { MonotonicClock.now > later })
        #expect(try #require(clock.reference.time) > before)
    }
}
