import Testing
import Threads

@Suite struct WorkerTests {
    @Test func everyJoinWaitsForTheBody() throws {
        let (barrier, log) = (Barrier(), Recorder())
        let worker = try #require(
            Worker.start("test") {
                barrier.pass()
                log.add("body")
            })
        let joiners = try (0..<3).map { _ in
            try #require(
                Worker.start("joiner") {
                    worker.join()
                    log.add("joined")
                })
        }
        #expect(log.all.isEmpty)
        barrier.open()
        for joiner in joiners { joiner.join() }
        #expect(log.all == ["body", "joined", "joined", "joined"])
        worker.join()
    }

    @Test func joinReturnsAfterCapturesAreReleased() throws {
        final class Capture: Sendable {
            let log: Recorder
            init(_ log: Recorder) { self.log = log }
            deinit { log.add("released") }
        }
        func start(_ capture: Capture) -> Worker? { Worker.start("test") { withExtendedLifetime(capture) {} } }
        for _ in 0..<200 {
            let log = Recorder()
            let worker = try #require(start(Capture(log)))
            worker.join()
            #expect(log.all == ["released"])
        }
    }

    @Test func joinOnOwnThreadReturnsImmediately() throws {
        let (barrier, log) = (Barrier(), Recorder())
        let handed = Monitor(Worker?.none, conditions: 0)
        let worker = try #require(
            Worker.start("test") {
                barrier.pass()
                handed.change { $0 }?.join()
                log.add("returned")
            })
        handed.change { $0 = worker }
        barrier.open()
        worker.join()
        #expect(log.all == ["returned"])
        handed.change { $0 = nil }
    }

    @Test func threadsHaveDifferentIdentities() throws {
        let other = Monitor(UInt(0), conditions: 0)
        let worker = try #require(Worker.start("test") { other.change { $0 = Worker.currentThread } })
        worker.join()
        #expect(other.change { $0 } != 0)
        #expect(other.change { $0 } != Worker.currentThread)
        #expect(Worker.currentThread == Worker.currentThread)
    }

    /// The kernel rejects names of more than 15 bytes.
    @Test func longThreadNameIsTruncated() throws {
        let name = Monitor("", conditions: 0)
        let worker = try #require(
            Worker.start("a-name-of-more-than-15-bytes") { name.change { $0 = threadName() } })
        worker.join()
        #expect(name.change { $0 } == "a-name-of-more-")
    }
}
