import struct Synchronization.Atomic
import Threads
import Testing

@Suite struct TaskTeamTests {
    /// Counts how often each band was performed.
    final class Tally: TeamWork, Sendable {
        let counts = Mutex([Int](repeating: 0, count: 64))
        func perform(band: Int) { counts.withLock { $0[band] += 1 } }
    }

    @Test(arguments: 1...4)
    func everyBandIsDoneOnceInEachRun(members: Int) {
        let team = TaskTeam(members: members)
        #expect(team.memberCount == members)
        let tally = Tally()
        for _ in 0..<5000 { team.run(tally, jobs: 7) }
        team.close()
        #expect(tally.counts.withLock { Array($0.prefix(8)) } == [5000, 5000, 5000, 5000, 5000, 5000, 5000, 0])
    }

    @Test func aRunWithoutBandsReturnsAtOnce() {
        let tally = Tally()
        let team = TaskTeam(members: 3)
        team.run(tally, jobs: 0)
        team.run(tally, jobs: -1)
        #expect(tally.counts.withLock { $0.allSatisfy { $0 == 0 } })
    }

    @Test func aClosedTeamWorksOnTheCallersThread() {
        let team = TaskTeam(members: 3)
        team.close()
        team.close()
        let tally = Tally()
        team.run(tally, jobs: 3)
        #expect(tally.counts.withLock { Array($0.prefix(4)) } == [1, 1, 1, 0])
    }

    @Test func teamsCanBeCreatedAndClosedRepeatedly() {
        let tally = Tally()
        for _ in 0..<200 {
            let team = TaskTeam(members: 4)
            team.run(tally, jobs: 2)
        }
        #expect(tally.counts.withLock { $0[0] } == 200)
    }

    /// Two bands that wait for each other end only if two threads perform them at the same time.
    @Test func bandsAreDoneAtTheSameTime() {
        final class Meeting: TeamWork, Sendable {
            let arrived = Atomic<Int>(0)
            func perform(band: Int) {
                arrived.add(1, ordering: .sequentiallyConsistent)
                while arrived.load(ordering: .sequentiallyConsistent) < 2 {}
            }
        }
        let team = TaskTeam(members: 2)
        let meeting = Meeting()
        team.run(meeting, jobs: 2)
        team.close()
        #expect(meeting.arrived.load(ordering: .sequentiallyConsistent) == 2)
    }

    @Test func releasesTheWorkAfterTheRun() {
        let team = TaskTeam(members: 2)
        weak var gone: Tally?
        do {
            let tally = Tally()
            gone = tally
            team.run(tally, jobs: 4)
        }
        #expect(gone == nil)
        team.close()
    }
}
