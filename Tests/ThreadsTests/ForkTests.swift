import Glibc
import Testing
import Threads
import Tracing

/// Tests forked children of this process, which call only `Threads` and `Tracing`.
@Suite struct ForkTests {
    private typealias Fork = @convention(c) () -> pid_t

    /// Runs `body` in a child, which ends after 20 s at the latest; returns whether `body` returned true.
    private func inChild(_ body: () -> Bool) throws -> Bool {
        // Swift does not import `fork`.
        let fork = try unsafe unsafeBitCast(#require(dlsym(nil, "fork")), to: Fork.self)
        let child = fork()
        if child == 0 {
            // The threads of Swift's executors block signals.
            var none = sigset_t()
            pthread_sigmask(SIG_SETMASK, &none, nil)
            alarm(20)
            _exit(body() ? 0 : 1)
        }
        var status: CInt = 0
        try #require(child > 0 && (unsafe waitpid(child, &status, 0)) == child)
        return status == 0
    }

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
