import MachineState
import Testing

@testable import ThermalPolicy

/// Tests the decisions of `ThermalPolicy`, from a reading of the sensors to limits of caps and bitrate.
@Suite struct DecisionTests {
    private let hd = VideoCaps(width: 1920, height: 1080, rate: FrameRate(30, 1))
    private var policy = ThermalPolicy()
    private var settings = ThermalPolicy.Settings()

    init() { settings.forecast = .zero }

    private mutating func decide(_ celsius: Double, at second: Int) -> ThermalPolicy.Step {
        let trips = [ThermalZone.Trip("passive", celsius: 80), ThermalZone.Trip("critical", celsius: 100)]
        let reading = ThermalReading(zones: [NamedZone("cpu", ThermalZone(celsius: celsius, trips: trips))])
        return policy.decide(reading, .init(), hd, settings, at: .seconds(second))
    }

    private func action(_ step: ThermalPolicy.Step) -> String {
        step.action(made: step.limits.fit(hd), bitrateShare: step.limits.bitrateShare)
    }

    @Test mutating func heatReducesByOneStepPerDwellAndItsEndRestores() {
        let hot = [0, 1, 2, 3].map { decide(92, at: $0) }
        let (first, second) = ("20/1 fps, bitrate 70%", "1280x720, 20/1 fps, bitrate 70%")
        #expect(hot.map(action) == [first, first, second, second])
        #expect(hot.map(\.due) == [.seconds(2), .seconds(2), .seconds(4), .seconds(4)])
        let cool = [10, 49, 50, 89, 90].map { decide(50, at: $0) }
        #expect(cool.map(action) == [second, second, first, first, "none"])
        #expect(cool.map(\.due) == [.seconds(50), .seconds(50), .seconds(90), .seconds(90), nil])
    }

    @Test mutating func aForcedLevelReplacesThatOfTheSensors() {
        settings.forcedLevel = .serious
        let step = decide(50, at: 0)
        #expect(step.heat.level == .serious && step.heat.cause == .forced && action(step) == "20/1 fps, bitrate 70%")
        settings.forcedLevel = nil
        #expect(decide(50, at: 1).heat.level == .nominal)
    }

    @Test mutating func theApplicationIsAskedOnceForARungAndMayChooseItsLimits() {
        let question = decide(85, at: 0)
        #expect(question.question == question.limits.fit(hd))
        var answer = QualityLimits()
        answer.height = 540
        let step = policy.answered(answer)
        #expect(step?.question == nil && step?.limits == answer && step?.isAnswerRaised == false)
        let again = policy.answered(answer)
        #expect(again?.limits == nil)
        let next = decide(85, at: 1)
        #expect(next.question == nil && next.limits == answer)
    }

    @Test mutating func anAnswerBelowTheMinimumIsRaised() {
        _ = decide(85, at: 0)
        var answer = QualityLimits()
        answer.height = 100
        let step = policy.answered(answer)
        #expect(step?.isAnswerRaised == true && step?.limits.fit(hd).height == 240)
    }

    @Test mutating func aFixedSizeHasNoLimitInTheOrder() {
        settings.rules.mayChangeSize = false
        for second in stride(from: 0, through: 20, by: 2) {
            let limits = decide(92, at: second).order?.limits
            #expect(limits?.fit(hd).height == 1080 && limits?.rate != nil)
        }
    }
}
