import QueuePolicy
import Testing

@Suite struct KeyUnitGateTests {
    private let second = Duration.seconds(1)

    /// Each letter is a step of 50 ms.
    ///
    /// d drops a delta unit, k is the arrival of a key unit, r calls `shouldRequest`, with the result Y or N, and q is
    /// k, d and r in one step.
    @Test(arguments: [
        ("drr", "YN"),
        // A request follows the next drop, at least 100 ms after the previous request.
        ("drkdr", "YY"), ("drq", "YN"), ("dr.q", "YY"), ("drkr", "YN"), ("drd.r", "YN"), ("dkdr", "Y"),
        // A request without a key unit within 1 s is repeated.
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
