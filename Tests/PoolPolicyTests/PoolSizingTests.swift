import Testing

@testable import PoolPolicy

/// Tests timelines with one column per window of 500 ms, which has the peak in use and the size that follows.
@Suite struct PoolSizingTests {
    private func draw(
        _ peaks: String, from size: Int, _ change: (inout PoolRules) -> Void = { _ in }
    ) -> String {
        var rules = PoolRules()
        rules.floor = 3
        rules.cap = 16
        rules.growThreshold = 0.75
        rules.shrinkThreshold = 0.5
        rules.shrinkWindows = 3
        rules.growStep = 2
        rules.shrinkStep = 1
        change(&rules)
        var controller = PoolController(rules)
        var size = size
        var sizes: [String] = []
        for (index, peak) in peaks.split(separator: " ").enumerated() {
            let window = PoolWindow(size: size, peakInUse: Int(peak)!, acquires: 15)
            let now = Duration.milliseconds(500 * (index + 1))
            if case .resize(let next, _) = controller.windowEnded(window, at: now) { size = next }
            sizes.append("\(size)")
        }
        return sizes.joined(separator: " ")
    }

    @Test func growsWhenTwoWindowsAgree() {
        #expect(draw("7 7 7 7", from: 8) == "8 10 10 10")
    }

    @Test func ignoresOneOutlier() {
        #expect(draw("4 8 4 4 8 4", from: 8) == "8 8 8 8 8 8")
    }

    @Test func shrinksWhenThreeWindowsAgree() {
        #expect(draw("3 3 3 3 3", from: 8) == "8 8 7 7 6")
    }

    @Test func resizesAtMostOnceASecond() {
        #expect(draw("8 8 10 10 10 12 12 14", from: 8) == "8 10 10 12 12 14 14 16")
    }

    @Test func neverLeavesItsBounds() {
        #expect(draw("16 16 16 16 16 16", from: 15) == "15 16 16 16 16 16")
        #expect(draw("0 0 0 0 0 0 0 0", from: 4) == "4 4 3 3 3 3 3 3")
    }

    @Test func followsMovedBoundsAtOnce() {
        #expect(draw("5 5", from: 16) { $0.cap = 10 } == "10 10")
        #expect(draw("0 0", from: 2) { $0.floor = 4 } == "4 4")
    }

    @Test func aLargeStepStopsBeforeThePoolWouldGrowAgain() {
        #expect(draw("6 6 6 6 6", from: 16) { $0.shrinkStep = 12 } == "16 16 8 8 8")
    }

    @Test func isStableAtAnyConstantLoad() {
        for load in 0...16 {
            let sizes = draw(Array(repeating: "\(load)", count: 60).joined(separator: " "), from: 5) {
                $0.growStep = 4
                $0.shrinkStep = 12
            }
            .split(separator: " ")
            #expect(Set(sizes.suffix(30)).count == 1, "load \(load): \(sizes)")
        }
    }

    /// Tests that no value of a property traps or results in a size out of range.
    @Test func acceptsAnySettings() {
        let odd = [Int.min, -1, 0, 1, 2, 17, Int.max]
        for floor in odd {
            for cap in odd {
                for step in odd {
                    var rules = PoolRules()
                    rules.floor = floor
                    rules.cap = cap
                    rules.growStep = step
                    rules.shrinkStep = step
                    rules.growWindows = step
                    rules.shrinkWindows = step
                    rules.growThreshold = .nan
                    rules.shrinkThreshold = -.infinity
                    rules.alpha = .infinity
                    rules.sizeWhenHot = step
                    var controller = PoolController(rules)
                    for peak in [0, 1, 1000, 0] {
                        let window = PoolWindow(
                            size: 5, peakInUse: peak, pressure: PoolPressure(isMemoryShort: true, isHot: true))
                        if case .resize(let size, _) = controller.windowEnded(window, at: .seconds(peak)) {
                            #expect((1...PoolRules.largestCap).contains(size))
                        }
                    }
                }
            }
        }
    }
}
