import StreamControl
import Testing

@Suite struct KeyUnitGateTests {
    private let second: UInt64 = 1_000_000_000

    @Test func aRequestIsMadeOnceForEachWaitAndNotTooOften() {
        var gate = KeyUnitGate()
        gate.frameDropped(isDelta: true)
        do {
            let result = gate.shouldRequest(now: 0)
            #expect(result)
        }
        do {
            let result = gate.shouldRequest(now: 5 * second)
            #expect(!result)
        }
        do {
            let result = gate.frameArrived(isDelta: true)
            #expect(result)
        }
        do {
            let result = gate.frameArrived(isDelta: false)
            #expect(!result)
        }
        gate.frameDropped(isDelta: true)
        do {
            let result = gate.shouldRequest(now: second / 2)
            #expect(!result)
        }
        do {
            let result = gate.shouldRequest(now: second)
            #expect(result)
        }
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
