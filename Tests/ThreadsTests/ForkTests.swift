import Glibc
import TestSupport
import Testing
import Threads
import Tracing

/// Tests forked children of this process, which call only `Threads` and `Tracing`.
@Suite struct ForkTests {
    /// Runs `body` while another thread calls `work` repeatedly.
    private func during(_ work: @escaping @Sendable () -> Void, _ body: () throws -> Void) throws {
        final class Shared: Sendable { let isOver = Mutex(false) }
        let shared = Shared()
        let worker = try #require(Worker.start("busy") { while !shared.isOver.withLock({ $0 }) { work() } })
        defer {
            shared.isOver.withLock { $0 = true }
            worker.join()
        }
        try body()
    }

    @Test func findsTheMutexOfAProcessUnlocked() throws {
        let mutex = ProcessMutex(0)
        try during({ mutex.withLock { value in for _ in 0..<1000 { value &+= 1 } } }) {
            for _ in 0..<100 { try #require(inChild { mutex.withLock { $0 % 1000 == 0 } }) }
        }
    }

    @Test func findsASpanTableUnlocked() throws {
        let table = SpanHook.Table()
        for key in 1...UInt64(SpanHook.Table.limit) { _ = table.value(for: key) { 1 } }
        // The table is full, so each search for a new key acquires the lock.
        try during({ _ = table.value(for: .max) { 1 } }) {
            for _ in 0..<100 { try #require(inChild { table.value(for: .max) { 1 } == 0 }) }
        }
    }

    @Test func makesAValueOfItsOwn() throws {
        final class Value: Sendable { let process = getpid() }
        let value = PerProcess { Value() }
        #expect(value.value.process == getpid())
        try #require(inChild { value.value.process == getpid() })
    }

    @Test func waitsForNoThreadOfTheParent() throws {
        let (alarm, begun) = (Alarm(), Barrier())
        let worker = try #require(
            Worker.start("sleeper") {
                begun.open()
                while alarm.sleep(for: .seconds(60)) {}
            })
        begun.pass()
        defer {
            alarm.end()
            worker.join()
        }
        try #require(
            inChild {
                worker.join()
                // The child must be able to use and free a condition for which a thread of the parent waits.
                for _ in 0..<3 {
                    alarm.wake()
                    _ = alarm.sleep(for: .milliseconds(1))
                }
                let own = Worker.start("child") { while alarm.sleep(for: .seconds(60)) {} }
                alarm.end()
                own?.join()
                return own != nil
            })
    }
}
