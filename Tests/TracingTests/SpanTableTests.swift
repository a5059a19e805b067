import Synchronization
import Testing
import Tracing

@Suite struct SpanTableTests {
    @Test func everyThreadFindsTheOneValueOfAKey() {
        for seed in 0..<20 as Range<UInt64> {
            let table = SpanHook.Table()
            let made = Mutex<[UInt64: Int]>([:])
            let threads = (0..<4 as Range<UInt64>).map { thread in
                TestThread {
                    var numbers = DrawnNumbers(seed: seed * 4 + thread)
                    for _ in 0..<2000 {
                        // The keys are close to each other, like the addresses of names.
                        let key = 1 + numbers.next(below: UInt64(SpanHook.Table.limit)) * 8
                        let value = table.value(for: key) {
                            made.withLock { $0[key, default: 0] += 1 }
                            return UInt(key) * 3
                        }
                        if value != UInt(key) * 3 { Issue.record("\(key) has \(value)") }
                    }
                }
            }
            for thread in threads { thread.join() }
            #expect(made.withLock { $0.values.allSatisfy { $0 == 1 } })
        }
    }

    @Test func aFullTableKeepsItsEntriesAndReturnsNothingForOthers() {
        let table = SpanHook.Table()
        for key in 1...UInt64(SpanHook.Table.limit) { #expect(table.value(for: key << 40) { UInt(key) } == UInt(key)) }
        #expect(table.value(for: 7) { 9 } == 0 && table.value(for: 7) { 9 } == 0)
        for key in 1...UInt64(SpanHook.Table.limit) { #expect(table.value(for: key << 40) { 0 } == UInt(key)) }
    }
}
