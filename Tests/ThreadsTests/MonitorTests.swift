import Glibc
import Testing
import Threads

@Suite struct MonitorTests {
    @Test func changesAreMutuallyExclusive() throws {
        let count = Monitor(0, conditions: 0)
        let workers = try (0..<4).map { _ in
            try #require(
                Worker.start("counter") {
                    for _ in 0..<2000 {
                        count.change { count in
                            let before = count
                            // Without mutual exclusion, changes of another thread at this point would be lost.
                            sched_yield()
                            count = before + 1
                        }
                    }
                })
        }
        for worker in workers { worker.join() }
        #expect(count.change { $0 } == 8000)
    }

    /// Two threads alternate; each thread waits for its own condition, with which the other thread wakes it.
    @Test func conditionWakesWaitingThread() throws {
        let turns = Monitor(0, conditions: 2)
        @Sendable func play(_ side: Int) {
            for _ in 0..<2000 {
                turns.await { turn -> Monitor<Int>.Step<Void> in
                    guard turn % 2 == side else { return .wait(side, until: nil) }
                    turn += 1
                    turns.mutex.wake(1 - side)
                    return .done(())
                }
            }
        }
        let other = try #require(Worker.start("other") { play(1) })
        play(0)
        other.join()
        #expect(turns.change { $0 } == 4000)
    }

    @Test func deadlineEndsWait() {
        let monitor = Monitor((), conditions: 1)
        let deadline = MonotonicClock.now + .milliseconds(3)
        let now = monitor.await { _ -> Monitor<Void>.Step<Duration> in
            let now = MonotonicClock.now
            return now >= deadline ? .done(now) : .wait(0, until: deadline)
        }
        #expect(now >= deadline)
    }

    /// Tests that a wait with a past deadline also releases the mutex, so that a loop of such waits does not block
    /// other threads.
    @Test func waitWithPastDeadlineReleasesMutex() throws {
        let isOpen = Monitor(false, conditions: 1)
        let opener = try #require(Worker.start("opener") { isOpen.change { $0 = true } })
        isOpen.await { isOpen -> Monitor<Bool>.Step<Void> in isOpen ? .done(()) : .wait(0, until: .zero) }
        opener.join()
        #expect(isOpen.change { $0 })
    }

    @Test func unknownConditionIsIgnored() {
        let monitor = Monitor(1, conditions: 1)
        monitor.change { _ in
            monitor.mutex.wake(1)
            monitor.mutex.wait(1, until: nil)
            monitor.mutex.wakeAll()
        }
        #expect(monitor.change { $0 } == 1)
    }
}
