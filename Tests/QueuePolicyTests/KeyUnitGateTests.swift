import QueuePolicy
import Testing

@Suite struct KeyUnitGateTests {
    private let second = Duration.seconds(1)

    /// In `drawing`, each letter is a step of 50 ms.
    ///
    /// d drops a delta unit, k lets a key unit arrive, r calls `shouldRequest`, and q does k, d and r in one step.
    /// `requests` has Y for each call of `shouldRequest` that returns true, and N for each call that returns false.
    @Test(arguments: [
        ("drr", "YN"),
        // The gate requests again after the next drop, but at the earliest 100 ms after the previous request.
        ("drkdr", "YY"), ("drq", "YN"), ("dr.q", "YY"), ("drkr", "YN"), ("drd.r", "YN"), ("dkdr", "Y"),
        // The gate repeats a request if no key unit arrives within 1 s.
        ("dr..................r", "YN"), ("dr...................r", "YY"),
    ])
    func requestsKeyUnitAtFirstDrop(drawing: String, requests: String) {
        var gate = KeyUnitGate()
        var result = ""
        for (step, letter) in drawing.enumerated() {
            switch letter {
            case "d": gate.frameDropped(isDelta: true)
            case "k": _ = gate.frameArrived(isDelta: false)
            case "q":
                _ = gate.frameArrived(isDelta: false)
                gate.frameDropped(isDelta: true)
            default: break
            }
            if "rq".contains(letter) { result += gate.shouldRequest(now: .milliseconds(50 * step)) ? "Y" : "N" }
        }
        #expect(result == requests)
    }

    @Test func streamWithoutDeltaUnitsIsNeverGated() {
        var gate = KeyUnitGate()
        gate.frameDropped(isDelta: false)
        do {
            let result = gate.shouldRequest(now: .zero)
            #expect(!result)
        }
        do {
            let result = gate.frameArrived(isDelta: false)
            #expect(!result)
        }
        #expect(!gate.isWaiting)
    }

    @Test func rawStreamIsNeverGated() {
        var gate = KeyUnitGate()
        gate.isRaw = true
        gate.frameDropped(isDelta: true)
        do {
            let result = gate.frameArrived(isDelta: true)
            #expect(!result)
        }
        do {
            let result = gate.shouldRequest(now: .zero)
            #expect(!result)
        }
    }

    @Test func postsDropMessagesPerIntervalAndQoSPerSecond() {
        var report = DropReport()
        do {
            let result = report.framesDropped(1, interval: 3, now: .zero)
            #expect(!result.postsDrops && result.postsQuality)
        }
        do {
            let result = report.framesDropped(1, interval: 3, now: .nanoseconds(1))
            #expect(result == DropActions())
        }
        do {
            let result = report.framesDropped(1, interval: 3, now: second - .nanoseconds(1))
            #expect(result.postsDrops && !result.postsQuality)
        }
        do {
            let result = report.framesDropped(7, interval: 3, now: second)
            #expect(result.postsDrops && result.postsQuality)
        }
        do {
            let result = report.framesDropped(.max, interval: 0, now: second + .nanoseconds(1))
            #expect(result == DropActions())
        }
    }
}
