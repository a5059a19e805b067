import StreamControl
import Testing

@Suite struct KeyUnitGateTests {
    private let second: UInt64 = 1_000_000_000

    @Test func aRequestIsMadeOnceForEachWaitAndNotTooOften() {
        var gate = KeyUnitGate()
        gate.frameDropped(isDelta: true)
        #expect(gate.shouldRequest(now: 0))
        #expect(!gate.shouldRequest(now: 5 * second))
        #expect(gate.frameArrived(isDelta: true))
        #expect(!gate.frameArrived(isDelta: false))
        gate.frameDropped(isDelta: true)
        #expect(!gate.shouldRequest(now: second / 2))
        #expect(gate.shouldRequest(now: second))
    }

    @Test func streamsOfKeyUnitsAloneAreNeverKeptBack() {
        var gate = KeyUnitGate()
        gate.frameDropped(isDelta: false)
        #expect(!gate.shouldRequest(now: 0))
        #expect(!gate.frameArrived(isDelta: false))
        #expect(!gate.isWaiting)
    }

    @Test func rawStreamsAreNeverKeptBack() {
        var gate = KeyUnitGate()
        gate.isRaw = true
        gate.frameDropped(isDelta: true)
        #expect(!gate.frameArrived(isDelta: true))
        #expect(!gate.shouldRequest(now: 0))
    }

    @Test func dropsAreAnnouncedByTheIntervalAndBySeconds() {
        var report = DropReport()
        #expect(report.framesDropped(1, interval: 3, now: 0) == .init(drops: false, quality: true))
        #expect(report.framesDropped(1, interval: 3, now: 1).isSilent)
        #expect(report.framesDropped(1, interval: 3, now: 2) == .init(drops: true, quality: false))
        #expect(report.framesDropped(7, interval: 3, now: second) == .init(drops: true, quality: true))
        #expect(report.framesDropped(.max, interval: 0, now: second + 1).isSilent)
    }
}
