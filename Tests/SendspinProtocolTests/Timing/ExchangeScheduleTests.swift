import Durations
@testable import SendspinProtocol
import Testing

/// Tests the schedule with timelines in text notation.
///
/// Times are in milliseconds. A timeline is a list of words: `N` advances to the time N, `<E` is the reply to the last
/// request with an error of E ms, `<!E` is such a reply with contradictory times, and `<old` is a reply to an earlier
/// request. The log has `N>` for a request at the time N, `best:E` and `probe:E`.
@Suite struct ExchangeScheduleTests {
    static func play(_ drawing: String) -> String {
        var schedule = ServerClock.ExchangeSchedule(now: .zero)
        var log: [String] = []
        var now = Duration.zero
        var sent = Duration.zero
        for word in drawing.split(separator: " ") {
            if let time = Int(word) {
                now = .milliseconds(time)
                let (request, best) = schedule.advance(to: now)
                if let best { log.append("best:\(Self.milliseconds(best.error))") }
                if let request {
                    sent = request
                    log.append("\(time)>")
                }
                continue
            }
            var exchange = TimeExchange(sent: sent, received: .seconds(50), transmitted: .seconds(50), arrived: now)
            if word == "<old" { exchange.sent -= .milliseconds(1) }
            if let error = Int(word.drop { !$0.isNumber }) { exchange.arrived = sent + .milliseconds(2 * error) }
            if word.hasPrefix("<!") { exchange.transmitted -= .seconds(1) }
            switch schedule.replyArrived(exchange) {
            case .none: break
            case .best(let best): log.append("best:\(Self.milliseconds(best.error))")
            case .probe(let probe): log.append("probe:\(Self.milliseconds(probe.error))")
            }
        }
        return log.joined(separator: " ")
    }

    private static func milliseconds(_ time: Duration) -> Int { Int(time.inSeconds * 1000) }

    @Test(arguments: [
        // A request is sent after each reply. The best of eight exchanges is used.
        (
            "0 <5 10 <4 20 <3 30 <5 40 <2 50 <3 60 <4 70 <5",
            "0> 10> 20> 30> 40> 50> 60> 70> best:2"
        ),
        // A request is sent only once. A reply to an earlier request is ignored.
        ("0 1 2 <old 3 <5 10 11", "0> 10>"),
        // Replies with contradictory times are not used.
        (
            "0 <!1 10 <4 20 <!1 30 <!1 40 <!1 50 <!1 60 <!1 70 <!1",
            "0> 10> 20> 30> 40> 50> 60> 70> best:4"
        ),
        // A request without a reply ends after 1 s. The last request ends the burst, and the next burst follows.
        (
            "0 999 1000 <4 1010 2009 2010 3010 4010 5010 6010 7010 8009 8010 8011",
            "0> 1000> 1010> 2010> 3010> 4010> 5010> 6010> best:4 8010>"
        ),
        // Bursts continue even if no reply ever arrives.
        (
            "0 1000 2000 3000 4000 5000 6000 7000 8000 9000 10000",
            "0> 1000> 2000> 3000> 4000> 5000> 6000> 7000> 9000> 10000>"
        ),
    ])
    func sendsBursts(drawing: String, result: String) { #expect(Self.play(drawing) == result) }

    @Test func sendsProbesBetweenBursts() throws {
        var schedule = ServerClock.ExchangeSchedule(now: .zero)
        for index in 0..<8 {
            let request = try #require(schedule.advance(to: .milliseconds(index)).request)
            _ = schedule.replyArrived(
                TimeExchange(sent: request, received: .zero, transmitted: .zero, arrived: request))
        }
        schedule.plan(burstAt: .seconds(10))
        #expect(schedule.advance(to: .seconds(1)).request == nil)
        #expect(schedule.deadline == .milliseconds(2007))
        let request = try #require(schedule.advance(to: schedule.deadline).request)
        let probe = TimeExchange(sent: request, received: .zero, transmitted: .zero, arrived: request)
        #expect(schedule.replyArrived(probe) == .probe(probe))
        // A reply is used only once.
        #expect(schedule.replyArrived(probe) == .none)
    }
}
