import Durations
@testable import SendspinProtocol
import Testing

/// Tests the estimate of a server clock with a simulated network.
@Suite struct ServerClockTests {
    @Test(arguments: [-100e-6, -20e-6, 0, 100e-6], [1, 2, 3] as [UInt64])
    func convergesWithinASecond(drift: Double, seed: UInt64) throws {
        var server = SimulatedServer(seed: seed)
        server.drift = drift
        server.run(until: .seconds(1))
        #expect(server.clock.isConverged)
        #expect(try #require(server.error).isWithin(.microseconds(200)))
    }

    @Test(arguments: [-100e-6, 0, 100e-6], [1, 2, 3, 4] as [UInt64])
    func followsTheServerForAnHour(drift: Double, seed: UInt64) throws {
        var server = SimulatedServer(seed: seed)
        server.drift = drift
        server.run(until: .seconds(1))
        for second in 2...3600 {
            server.run(until: .seconds(second))
            let limit = Duration.microseconds(second < 120 ? 200 : 100)
            #expect(try #require(server.error).isWithin(limit), "after \(second) s: \(server.error!)")
        }
        #expect(!server.changes.contains { if case .stepped = $0.change { true } else { false } })
    }

    @Test func burstsBecomeRare() {
        var server = SimulatedServer()
        server.run(until: .seconds(60))
        let before = server.requestCount
        server.run(until: .seconds(660))
        // 60 bursts of 8, and at most 5 probes in each interval of 10 s.
        #expect((400...800).contains(server.requestCount - before))
        #expect(before < 500)
    }

    @Test func convergesOnASlowNetwork() throws {
        var server = SimulatedServer()
        (server.delay, server.jitter, server.loss) = (0.010, 0.030, 0.05)
        server.run(until: .seconds(20))
        #expect(server.clock.isConverged)
        #expect(try #require(server.error).isWithin(.milliseconds(5)))
    }

    @Test func survivesANetworkWithoutReplies() {
        var server = SimulatedServer()
        server.loss = 1
        server.run(until: .seconds(60))
        #expect(!server.clock.isConverged)
        #expect(server.clock.estimate == nil)
        #expect((50...61).contains(server.requestCount))
    }

    @Test(
        arguments: [Duration.milliseconds(5), .milliseconds(-50), .seconds(7200), .seconds(-864_000)], [2, 5, 60, 1500])
    func recoversFromAStepWithinThreeSeconds(step: Duration, after: Int) throws {
        var server = SimulatedServer()
        server.drift = 30e-6
        server.run(until: .seconds(after))
        server.offset += step
        server.run(until: .seconds(after + 3))
        #expect(try #require(server.error).isWithin(.microseconds(200)))
        let steps = server.changes.filter { if case .stepped = $0.change { true } else { false } }
        #expect(steps.count == 1)
        server.run(until: .seconds(after + 30))
        #expect(try #require(server.error).isWithin(.microseconds(200)))
    }

    @Test func recoversWithinHalfASecondAfterAConnection() throws {
        var server = SimulatedServer()
        server.run(until: .seconds(100))
        server.offset += .seconds(3600)
        server.clock.reconnected(at: server.now)
        server.run(until: .milliseconds(100_500))
        #expect(try #require(server.error).isWithin(.microseconds(300)))
    }

    /// The connection ended while a request was pending.
    @Test func requestsTheTimeAtOnceOnANewConnection() throws {
        var server = SimulatedServer()
        server.run(until: .seconds(100))
        let due = server.clock.deadline
        _ = try #require(server.clock.advance(to: due).request)
        let now = due + .milliseconds(500)
        server.clock.reconnected(at: now)
        #expect(server.clock.advance(to: now).request != nil)
        #expect(server.clock.schedule.lostCount == 0)
    }

    /// The machine is suspended while a request is pending, and the local clock stops during this time.
    @Test func recoversAfterSuspend() throws {
        var server = SimulatedServer()
        server.run(until: .seconds(100))
        let (request, _) = server.clock.advance(to: server.clock.deadline)
        let sent = try #require(request)
        server.offset += .seconds(40_000)
        let arrived = sent + .milliseconds(1)
        _ = server.clock.replyArrived(
            TimeExchange(
                sent: sent, received: server.serverTime(at: sent), transmitted: server.serverTime(at: sent),
                arrived: arrived))
        server.now = arrived
        server.run(until: sent + .seconds(3))
        #expect(try #require(server.error).isWithin(.microseconds(300)))
    }

    /// The local clock continues during the pause, so the estimate extrapolates.
    @Test func continuesAfterALongPause() throws {
        var server = SimulatedServer()
        server.drift = 50e-6
        server.run(until: .seconds(300))
        server.now += .seconds(36_000)
        let resumed = server.now
        server.run(until: resumed + .seconds(5))
        #expect(try #require(server.error).isWithin(.microseconds(300)))
    }

    /// The arguments are errors of the rate, from a clock that runs backwards to one that is a million times too fast.
    @Test(arguments: [-1000, -2, -1, -0.5, -0.01, 0.01, 1, 1e6])
    func updatesDoNotFollowARateThatNoClockHas(drift: Double) {
        var server = SimulatedServer()
        server.drift = drift
        server.turnaround = .zero
        server.run(until: .seconds(60))
        #expect(abs(server.updatedRate) < 0.005)
        #expect(server.changes.contains { $0.change == .erratic } == (abs(drift) > 0.1))
    }

    /// A hostile server delays its replies, so that a high rate is within the errors of each pair of exchanges.
    @Test func updatesDoNotFollowARateWithinTheErrors() {
        var server = SimulatedServer()
        (server.delay, server.jitter, server.drift) = (0.4, 0, -0.3)
        server.turnaround = .zero
        server.run(until: .seconds(600))
        #expect(abs(server.updatedRate) < 0.005)
    }

    @Test func aClockThatJumpsAgainAndAgainIsNone() {
        var server = SimulatedServer()
        for second in 1...60 {
            server.offset += .seconds(second % 2 == 0 ? 1 : -1)
            server.run(until: .seconds(second))
        }
        #expect(server.changes.contains { $0.change == .erratic })
    }

    /// A time service may correct the clock of the server quickly.
    @Test func aClockThatIsCorrectedFastIsOne() throws {
        var server = SimulatedServer()
        server.run(until: .seconds(60))
        for step in 1...50 {
            server.offset += .milliseconds(8)
            server.run(until: .seconds(60) + .milliseconds(100 * step))
        }
        server.run(until: .seconds(70))
        #expect(!server.changes.contains { $0.change == .erratic })
        #expect(try #require(server.error).isWithin(.microseconds(200)))
    }

    @Test func aDelayInOneDirectionIsNoStep() throws {
        var server = SimulatedServer()
        server.run(until: .seconds(200))
        server.delay = 0.050
        server.run(until: .seconds(260))
        server.delay = 0.0002
        server.run(until: .seconds(330))
        #expect(!server.changes.contains { if case .stepped = $0.change { true } else { false } })
        #expect(try #require(server.error).isWithin(.microseconds(200)))
    }
}
