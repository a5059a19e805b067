import PoolPolicy
import Testing

@Suite struct PoolLedgerTests {
    @Test func meanIsWeightedByTime() {
        var ledger = PoolLedger(size: 4)
        #expect(ledger.meanBytes == nil)
        ledger.observed(size: 4, bytesInBuffer: 100, for: .seconds(3))
        ledger.observed(size: 8, bytesInBuffer: 100, for: .seconds(1))
        #expect(ledger.meanBytes == 500)
    }

    private func drawn(_ change: PoolLedger.Change) -> String {
        "\(change.old) -> \(change.new) \(change.reason.rawValue)"
    }

    @Test func reportsTheReasonOfAChange() {
        var ledger = PoolLedger(size: 4)
        func step(_ before: Int, _ action: PoolAction, _ after: Int) -> String? {
            ledger.ordered(action, at: before)
            return ledger.settled(size: after, after: action).map(drawn)
        }
        #expect(step(4, .keep, 4) == nil)
        #expect(step(6, .keep, 6) == "4 -> 6 demand")
        #expect(step(6, .resize(to: 10, because: .forecast), 10) == "6 -> 10 forecast")
        #expect(step(10, .resize(to: 3, because: .thermal), 8) == "10 -> 8 thermal")
        #expect((ledger.grows, ledger.shrinks) == (2, 1))
    }

    /// Six of ten buffers are in use when the pool must shrink, so they are freed only when they are released.
    @Test func reasonOfAnOrderCoversBuffersReleasedLater() {
        var ledger = PoolLedger(size: 10)
        let order = PoolAction.resize(to: 3, because: .memoryPressure)
        ledger.ordered(order, at: 10)
        let (atOnce, later) = (ledger.settled(size: 6, after: order), ledger.settled(size: 3, after: .keep))
        #expect(atOnce.map(drawn) == "10 -> 6 memory-pressure")
        #expect(later.map(drawn) == "6 -> 3 memory-pressure")
    }

    /// The machine becomes hot during a window in which the pool has grown on demand.
    @Test func orderWithinAWindowIsReportedSeparately() {
        var ledger = PoolLedger(size: 3)
        let order = PoolAction.resize(to: 4, because: .thermal)
        ledger.ordered(order, at: 11)
        let (nothing, some) = (
            ledger.settled(from: 11, to: 11, after: order), ledger.settled(from: 11, to: 9, after: order)
        )
        #expect(nothing == nil)
        #expect(some.map(drawn) == "11 -> 9 thermal")
        let rest = ledger.settled(size: 4, after: .keep)
        #expect(rest.map(drawn) == "9 -> 4 thermal")
        #expect((ledger.grows, ledger.shrinks) == (1, 2))
    }

    @Test func reportIncludesBuffersReleasedBetweenTwoChecks() {
        var ledger = PoolLedger(size: 11)
        let order = PoolAction.resize(to: 3, because: .memoryPressure)
        ledger.ordered(order, at: 11)
        #expect(ledger.settled(from: 11, to: 11, after: order) == nil)
        ledger.ordered(order, at: 9)
        let change = ledger.settled(from: 9, to: 9, after: order)
        #expect(change.map(drawn) == "11 -> 9 memory-pressure")
    }

    @Test func growthBeyondTheOrderIsOnDemand() {
        var ledger = PoolLedger(size: 4)
        let change = ledger.settled(size: 7, after: .resize(to: 5, because: .idle))
        #expect(change?.reason == .demand)
    }

    @Test func shrinkingWithoutAnOrderIsDiscarded() {
        var ledger = PoolLedger(size: 4)
        let change = ledger.settled(size: 3, after: .keep)
        #expect(change?.reason == .discarded)
    }

    @Test func acceptsAnyNumber() {
        var ledger = PoolLedger(size: .max)
        ledger.observed(size: .max, bytesInBuffer: .max, for: .seconds(Int64.max / 4))
        ledger.observed(size: -1, bytesInBuffer: .max, for: .zero)
        let change = ledger.settled(size: .min, after: .keep)
        #expect(change?.new == .min)
    }
}
