import SendspinSupport
import Testing

@Suite struct FakeServerClockTests {
    @Test func localAndServerTimesAreInverse() {
        let clock = ServerClock(offset: .seconds(1_000), partsPerMillion: 100, at: .seconds(50))
        #expect(clock.time(at: .seconds(50)) == .seconds(1_050))
        let hour = clock.time(at: .seconds(3_650))
        #expect(abs((hour - .seconds(4_650)) / .milliseconds(1) - 360) < 0.001)
        for local in [0, 50, 51, 100_000] {
            let error = clock.local(of: clock.time(at: .seconds(local))) - .seconds(local)
            #expect(abs(error / .nanoseconds(1)) < 1)
        }
    }

    @Test func stepMovesTheTimeAndDriftDoesNot() {
        var clock = ServerClock(offset: .seconds(10))
        clock.step(by: .milliseconds(-500))
        #expect(clock.time(at: .seconds(1)) == .milliseconds(10_500))
        clock.setDrift(partsPerMillion: -50, at: .seconds(1))
        #expect(clock.time(at: .seconds(1)) == .milliseconds(10_500))
        #expect(abs((clock.time(at: .seconds(101)) - .milliseconds(110_500)) / .milliseconds(1) + 5) < 0.001)
    }
}
