import Foundation
import Testing
import Threads

@Suite struct MutexTests {
    private struct Failure: Error {}

    private func countTo(_ end: Int, threads: Int, _ add: @escaping @Sendable () -> Void) throws {
        let workers = (0..<threads).map { _ in
            Worker.start("count") { for _ in 0..<(end / threads) { add() } }
        }
        for worker in workers { try #require(worker).join() }
    }

    /// The critical section is so long that threads wait in the kernel.
    @Test func oneThreadAtATimeChangesTheValue() throws {
        final class Shared: Sendable { let mutex = Mutex((sum: 0, isBusy: false)) }
        let shared = Shared()
        try countTo(40_000, threads: 4) {
            shared.mutex.withLock { value in
                #expect(!value.isBusy)
                value.isBusy = true
                for _ in 0..<500 { value.sum &+= 1 }
                value.isBusy = false
            }
        }
        #expect(shared.mutex.withLock { $0.sum } == 500 * 40_000)
    }

    @Test func oneThreadAtATimeChangesTheValueOfTheProcess() throws {
        let mutex = ProcessMutex(0)
        try countTo(40_000, threads: 4) { mutex.withLock { $0 += 1 } }
        #expect(mutex.withLock { $0 } == 40_000)
    }

    /// Without `Handler`, each access to a mutex whose value is a function wraps this function in two more functions.
    @Test func aHandlerIsNotWrappedAgain() {
        let depth = ProcessMutex(0)
        let handler = Mutex<Handler<@Sendable () -> Void>?>(
            Handler { depth.withLock { $0 = Thread.callStackReturnAddresses.count } })
        let depths = (0..<100).map { _ in
            handler.withLock { $0 }?.call()
            return depth.withLock { $0 }
        }
        #expect(depths.first == depths.last && depths[0] > 0)
    }

    @Test func anErrorUnlocksTheMutex() {
        final class Shared: Sendable { let mutex = Mutex(1) }
        let (shared, ofProcess) = (Shared(), ProcessMutex(1))
        #expect(throws: Failure.self) { try shared.mutex.withLock { _ in throw Failure() } }
        #expect(throws: Failure.self) { try ofProcess.withLock { _ in throw Failure() } }
        #expect(shared.mutex.withLock { $0 } == 1 && ofProcess.withLock { $0 } == 1)
    }

    /// Tests that the value is released with the mutex.
    @Test func ownsItsValue() {
        final class Token: Sendable {}
        final class Shared: Sendable { let mutex = Mutex<Token?>(nil) }
        weak var gone: Token?
        do {
            let (shared, token) = (Shared(), Token())
            gone = token
            shared.mutex.withLock { $0 = token }
            #expect(shared.mutex.withLock { $0 } === token)
        }
        #expect(gone == nil)
    }

    @Test func aProcessMakesItsValueOnce() {
        final class Made: Sendable {}
        let made = PerProcess { Made() }
        #expect(made.value === made.value)
    }
}
