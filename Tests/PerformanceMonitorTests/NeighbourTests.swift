import Dispatch
import MonitorPolicy
import Testing

@testable import MonitorEngine

@Suite struct NeighbourTests {
    @Test func replacedNeighboursRemainWhileAThreadUsesThem() {
        let published = PublishedNeighbours()
        published.replace(neighbours())
        weak let first = current(of: published)
        let (entered, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let left = DispatchGroup()
        DispatchQueue.global().async(group: left) {
            published.withCurrent { _ in
                entered.signal()
                leave.wait()
            }
        }
        entered.wait()
        // Meanwhile this thread also uses the neighbours, like a thread that pushes through the same pad.
        for _ in 0..<10 {
            published.replace(neighbours())
            published.withCurrent { _ in }
        }
        #expect(first != nil)
        leave.signal()
        left.wait()
        published.replace(neighbours())
        #expect(first == nil)
    }

    @Test func equalNeighboursAreNotReplaced() {
        let published = PublishedNeighbours()
        let sink = PadRecord(role: .sink)
        published.replace(PadNeighbours(sinks: [sink]))
        let before = current(of: published)
        published.replace(PadNeighbours(sinks: [sink]))
        #expect(current(of: published) === before)
    }

    private func neighbours() -> PadNeighbours { PadNeighbours(sinks: [PadRecord(role: .sink)]) }

    private func current(of published: PublishedNeighbours) -> PadNeighbours? {
        var current: PadNeighbours?
        published.withCurrent { current = $0 }
        return current
    }
}
