import Testing
import Threads

@Suite struct AlarmTests {
    private static let forEver = Duration.seconds(Int64.max)

    @Test func sleepLastsForTheGivenTime() {
        let before = MonotonicClock.now
        let alarm = Alarm()
        #expect(alarm.sleep(for: .milliseconds(3)))
        #expect(MonotonicClock.now - before >= .milliseconds(3))
        #expect(alarm.sleep(for: .zero))
        #expect(alarm.sleep(for: .seconds(-1)))
    }

    @Test func wakeEndsOneSleep() throws {
        let alarm = Alarm()
        alarm.wake()
        alarm.wake()
        #expect(alarm.sleep(for: Self.forEver))
        let before = MonotonicClock.now
        #expect(alarm.sleep(for: .milliseconds(1)))
        #expect(MonotonicClock.now - before >= .milliseconds(1))
        let worker = try #require(Worker.start("sleeper") { alarm.sleep(for: Self.forEver) })
        alarm.wake()
        worker.join()
    }

    @Test func endEndsAllSleeps() throws {
        let alarm = Alarm()
        let sleepers = try (0..<4).map { _ in
            try #require(Worker.start("sleeper") { while alarm.sleep(for: Self.forEver) {} })
        }
        alarm.end()
        for sleeper in sleepers { sleeper.join() }
        #expect(!alarm.sleep(for: Self.forEver))
        #expect(!alarm.sleep(for: .zero))
    }
}
