import QueuePolicy
import Testing

@Suite struct KeyUnitGateTests {
    private let second: UInt64 = 1_000_000_000

    /// d a delta dropped, k a key unit that comes, r whether a request is made: Y or N; each step is 50 ms.
    @Test(arguments: [
        ("drr", "YN"),
        // As soon as frames are dropped again, but 100 ms apart.
        ("drkdr", "YY"), ("drkr", "YN"), ("drkdr", "YY"), ("drd.r", "YN"), ("dkdr", "Y"),
        // A request that is not answered within a second is lost.
        ("dr..................r", "YN"), ("dr...................r", "YY"),
    ])
    func requestsAKeyUnitAsSoonAsFramesAreDropped(drawing: String, requests: String) {
        var gate = KeyUnitGate()
        var result = ""
        for (step, letter) in drawing.enumerated() {
            switch letter {
            case "d": gate.frameDropped(isDelta: true)
            case "k": _ = gate.frameArrived(isDelta: false)
            case "r": result += gate.shouldRequest(now: UInt64(step) * second / 20) ? "Y" : "N"
            default: break
            }
        }
        #expect(result == requests)
    }

    @Test func streamsOfKeyUnitsAloneAreNeverKeptBack() {
        var gate = KeyUnitGate()
        gate.frameDropped(isDelta: false)
        do {
            let result = gate.shouldRequest(now: 0)
            #expect(!result)
        }
        do {
            let result = gate.frameArrived(isDelta: false)
            #expect(!result)
        }
        #expect(!gate.isWaiting)
    }

    @Test func rawStreamsAreNeverKeptBack() {
        var gate = KeyUnitGate()
        gate.isRaw = true
        gate.frameDropped(isDelta: true)
        do {
            let result = gate.frameArrived(isDelta: true)
            #expect(!result)
        }
        do {
            let result = gate.shouldRequest(now: 0)
            #expect(!result)
        }
    }

    @Test func dropsAreAnnouncedByTheIntervalAndBySeconds() {
        var report = DropReport()
        do {
            let result = report.framesDropped(1, interval: 3, now: 0)
            #expect(result == .init(drops: false, quality: true))
        }
        do {
            let result = report.framesDropped(1, interval: 3, now: 1).isSilent
            #expect(result)
        }
        do {
            let result = report.framesDropped(1, interval: 3, now: 2)
            #expect(result == .init(drops: true, quality: false))
        }
        do {
            let result = report.framesDropped(7, interval: 3, now: second)
            #expect(result == .init(drops: true, quality: true))
        }
        do {
            let result = report.framesDropped(.max, interval: 0, now: second + 1).isSilent
            #expect(result)
        }
    }
}
