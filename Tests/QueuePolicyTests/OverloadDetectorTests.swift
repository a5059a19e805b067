import Testing

@testable import QueuePolicy

@Suite struct OverloadDetectorTests {
    /// A backlog of 1 s drains within `seconds`; returns whether the delay counts as a standing queue.
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

    /// Each overload begins when the one before it ends.
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
        // The time without a drop must exceed 1, 2, 4, 8, 16 times `calm`.
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
