import Testing

@testable import QueuePolicy

@Suite struct OverloadDetectorTests {
    /// Whether a delay that falls from 1 s to 0 within `seconds` counts as a standing queue.
    private func stands(drainingWithin seconds: Int) -> Bool {
        var detector = OverloadDetector()
        let frame = Duration.milliseconds(40)
        return (0..<25 * seconds).contains { number in
            detector.frameLeft(
                delay: Duration.seconds(1) - frame * number / seconds, normal: frame, frameDuration: frame,
                isOutOfCredit: false, mustGrow: false, now: frame * number)
        }
    }

    @Test func backlogThatDrainsIsNoOverload() {
        #expect(!stands(drainingWithin: 1))
        #expect(stands(drainingWithin: 30))
    }

    /// Each overload begins when the previous overload ends.
    @Test func overloadThatReturnsLastsLonger() {
        var detector = OverloadDetector()
        let step = OverloadDetector.calm / 4
        var now = Duration.zero
        var steps: [Int] = []
        for _ in 0..<7 {
            detector.overloadBegan(now: now)
            steps.append(0)
            repeat {
                now += step
                steps[steps.count - 1] += 1
            } while !detector.overloadEnded(now: now)
        }
        // An overload ends after a time without a drop that exceeds `calm` times 1, 2, 4, 8, and then 16.
        #expect(steps == [5, 9, 17, 33, 65, 65, 65])
        detector.overloadBegan(now: now + .seconds(3600))
        let hasEnded = detector.overloadEnded(now: now + .seconds(3600) + step * 5)
        #expect(hasEnded, "An overload after a pause is a new one.")
    }

    @Test func dropProlongsOverload() {
        var detector = OverloadDetector()
        detector.overloadBegan(now: .zero)
        detector.frameDropped(inQueue: true, now: OverloadDetector.calm)
        let atOnce = detector.overloadEnded(now: OverloadDetector.calm * 2)
        let later = detector.overloadEnded(now: OverloadDetector.calm * 2 + .nanoseconds(1))
        #expect(!atOnce && later)
    }
}
