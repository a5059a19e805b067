import Testing

@testable import Sendspin

/// Tests the times at which `sendspinplay` opens and closes its device.
@Suite struct PlayPhaseTests {
    /// Plays a timeline with a letter for each second.
    ///
    /// `s` a stream starts, `e` the stream ends, `l` its server is lost with audio for 2 s, `d` the previous server is
    /// lost, `h` and `r` call `hold` and `release`, `o` the device has opened, `f` the device cannot open, `c` the
    /// device has closed, `b` audio prevents closing. In the result, `W` opens and `S` closes the device.
    private func play(_ timeline: String, timeout: Duration = .seconds(3)) -> String {
        var phase = PlayPhase()
        phase.idleTimeout = timeout
        var waking = 0
        return String(
            timeline.enumerated().map { index, event in
                let now = Duration.seconds(index)
                switch event {
                case "s": phase.streamStarted()
                case "e": phase.streamEnded(now: now)
                case "l", "d":
                    let stream = phase.generation - (event == "d" ? 1 : 0)
                    phase.serverLost(at: stream, remaining: .seconds(2), now: now)
                case "h": phase.hold()
                case "r": phase.release()
                case "o", "f": phase.hasWoken(waking, isOpen: event == "o")
                case "c", "b": phase.hasFallenAsleep(event == "c", now: now)
                default: break
                }
                switch phase.next(now: now) {
                case .step(.wake(let number)):
                    waking = number
                    return "W"
                case .step(.sleep): return "S"
                case .wait: return "."
                }
            })
    }

    @Test(arguments: [("...so.e.....c...", "...W.....S......"), ("soe...c.so..", "W....S..W...")])
    func opensForAStreamAndClosesAfterTheTimeout(timeline: String, steps: String) {
        #expect(play(timeline) == steps)
    }

    @Test(arguments: [
        // A stream that starts before the timeout keeps the device open.
        ("soe..s......", "W..........."),
        // A stream that starts while the device is being closed opens it again.
        ("soe..  s.c.o...", "W....S...W....."),
        // A stream that ends while the device is being opened closes it later.
        ("s.e.o.......", "W....S......"),
    ])
    func newStreamKeepsOrOpensTheDevice(timeline: String, steps: String) {
        #expect(play(timeline) == steps)
    }

    @Test(arguments: [
        // The queue plays for 2 s, and then the timeout begins.
        ("sol.......c..", "W......S....."),
        ("sol..s.......", "W............"),
        // If the server is lost after the end of the stream, the timeout has already begun.
        ("soe.l.....", "W....S...."), ("..l.....", "........"),
        // If another server plays already, the loss of the previous server has no effect.
        ("sosd......", "W........."), ("sd.o......", "W........."),
    ])
    func lossOfTheServerClosesTheDevice(timeline: String, steps: String) {
        #expect(play(timeline) == steps)
    }

    @Test(arguments: [
        ("s.f....", "W......"), ("s.f..s.", "W....W."), ("s.s.f..", "W...W.."),
    ])
    func deviceThatCannotBeOpenedIsTriedForTheNextStream(timeline: String, steps: String) {
        #expect(play(timeline) == steps)
    }

    @Test(arguments: [("hs..r..", "....W.."), ("soeh....r.", "W.......S."), ("hhs.r.r.", "......W.")])
    func stateChangeOfTheBinDefersSteps(timeline: String, steps: String) {
        #expect(play(timeline) == steps)
    }

    @Test func closingIsTriedAgainWhileAudioIsOnItsWay() { #expect(play("soe...b...c.") == "W....S...S..") }

    @Test func longestTimeoutIsNeverOver() {
        #expect(play("soe.........", timeout: .seconds(1 << 32)) == "W...........")
    }

    @Test func openDeviceIsHeldForADecoder() {
        var phase = PlayPhase()
        let isHeldAsleep = phase.holdAwake()
        phase.streamStarted()
        let step = phase.next(now: .zero)
        let isHeldWaking = phase.holdAwake()
        phase.hasWoken(1, isOpen: true)
        let isHeldAwake = phase.holdAwake()
        #expect(step == .step(.wake(1)))
        #expect([isHeldAsleep, isHeldWaking, isHeldAwake] == [false, false, true])
    }
}
