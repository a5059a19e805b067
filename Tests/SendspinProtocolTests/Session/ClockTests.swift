import Durations
import SendspinSecurity
import SendspinProtocol
import Testing

/// Tests time exchanges with the server.
@Suite struct ClockTests {
    /// A request contains the time of its transmission, which only `advance` receives.
    @Test func timeIsRequestedOnlyByAdvance() throws {
        let rig = SessionRig()
        rig.answersTime = false
        try rig.play("open")
        #expect(rig.session.deadline == rig.now)
        try rig.perform(rig.session.advance(to: rig.now))
        guard case .time(let time) = rig.sent.last else {
            Issue.record("no request")
            return
        }
        #expect(time == rig.now)
        let count = rig.sent.count
        rig.now += .milliseconds(1)
        let server = rig.now + rig.offset
        try rig.send(.time(sent: time, received: server, transmitted: server))
        #expect(rig.sent.count == count)
        let deadline = rig.session.deadline
        #expect(deadline == rig.now)
    }

    @Test func sameServerContinuesWithItsClock() throws {
        let identity = KeyPair.generate()
        let rig = SessionRig(identity: identity)
        try rig.play("playing wait:20")
        let clock = try #require(rig.session.clock)
        let again = SessionRig(identity: identity, clock: clock)
        again.now = rig.now
        try again.play("open")
        #expect(again.takeLog().last == "→ state(available)")
        let other = SessionRig(clock: clock)
        other.now = rig.now
        try other.play("open")
        #expect(other.takeLog().last == "activated(nothing, 6 roles)")
    }

    @Test func clockOfTheServerMayStep() throws {
        let rig = SessionRig()
        try rig.play("playing")
        _ = rig.takeLog()
        rig.offset += .seconds(1000)
        try rig.play("wait:10")
        #expect(rig.takeLog() == ["stepped"])
        #expect(rig.session.counters.clockSteps == 1)
        let estimate = try #require(rig.session.clock?.clock.estimate)
        #expect(abs((estimate.offset - rig.offset).inSeconds) < 1e-5)
    }

    @Test func serverWithoutAClockIsLeft() throws {
        let rig = SessionRig()
        try rig.play("playing")
        for _ in 1...300 where !rig.session.isClosed {
            rig.offset += .seconds(1000)
            try rig.play("wait:1")
        }
        #expect(rig.takeLog().contains("failed(violation)"))
    }

    @Test func playerWithoutClockIsUnavailable() throws {
        let rig = SessionRig()
        rig.answersTime = false
        try rig.play("open")
        _ = rig.takeLog()
        try rig.play("wait:2")
        #expect(rig.log == [])
        try rig.play("wait:2")
        #expect(rig.takeLog() == ["→ state(unavailable)"])
        rig.answersTime = true
        try rig.play("wait:5")
        #expect(rig.takeLog() == ["→ state(available)"])
    }
}
