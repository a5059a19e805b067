import Testing

@testable import Sendspin

/// Tests the times at which the state of the player is stored.
@Suite struct SavingScheduleTests {
    /// Plays a timeline with a letter for each tenth of a second: `c` a change, `.` no change, `S` a store (result).
    private func play(_ timeline: String) -> String {
        var schedule = SavingSchedule()
        return String(
            timeline.enumerated().map { index, step in
                if step == "c" { schedule.changed() }
                return schedule.takes(at: .milliseconds(100 * index)) ? "S" : "."
            })
    }

    @Test(arguments: [
        ("....", "...."), ("c...", "S..."), ("cc..........", "S.........S."),
        ("c.c.c.c.c.c.c.c.c.c.c.c", "S.........S.........S.."),
        ("c............c....c..........", "S............S.........S....."), ("c.........c..", "S.........S.."),
    ])
    func storesAtOnceAndThenOncePerSecond(timeline: String, result: String) { #expect(play(timeline) == result) }

    @Test func deadlineIsThatOfTheNextStore() {
        var schedule = SavingSchedule()
        #expect(schedule.deadline == nil)
        schedule.changed()
        #expect(schedule.deadline == .zero)
        let isStored = schedule.takes(at: .seconds(5))
        #expect(isStored)
        #expect(schedule.deadline == nil)
        schedule.changed()
        #expect(schedule.deadline == .seconds(6))
        let isStoredEarly = schedule.takes(at: .milliseconds(5_999))
        #expect(!isStoredEarly)
    }

    @Test func endStoresWithoutAPause() {
        var schedule = SavingSchedule()
        let results = (0..<4).map { step -> Bool in
            if step == 1 || step == 2 { schedule.changed() }
            return schedule.takes(at: step == 1 ? .seconds(5) : nil)
        }
        #expect(results == [false, true, true, false])
    }
}
