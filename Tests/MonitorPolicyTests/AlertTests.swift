import MonitorPolicy
import Testing

@Suite struct AlertTests {
    private static let targets = "encoder: p95=20ms, rate=30, compliance=95%"

    @Test func aSteadyStreamRaisesNothing() throws {
        var line = try Timeline(Self.targets)
        line.play(600)
        #expect(line.entries.isEmpty)
        #expect(line.book.alerts.isEmpty)
    }

    @Test(arguments: [(35.0, Severity.warning), (50.0, .critical)])
    func aStepOfTheLatencyRaisesAnAlertWithinSixSeconds(latency: Double, severity: Severity) throws {
        var line = try Timeline("encoder: p95=20ms")
        line.play(120)
        line.play(30, latency: { _ in latency })
        let first = try #require(line.entries.first)
        #expect(first.time > 120 && first.time <= 126 && first.severity == severity && first.name == "raised")
        let alert = try #require(line.events.first?.alert)
        #expect(
            alert.element == "encoder" && alert.metric == .p95 && alert.target == 0.02 && alert.window == .seconds(60))
        #expect(alert.value > 0.02 * 1.5 && alert.samples >= 1790 && alert.samples <= 1810)
        #expect(line.entries.count == 1, "an alert that stands is raised once")
        #expect(line.book.alerts.map(\.severity) == [severity])
    }

    @Test func anAlertIsClearedTenSecondsAfterTheLatencyIsBelowNineTenthsOfTheLimit() throws {
        var line = try Timeline("encoder: p95=20ms")
        line.play(60)
        line.play(20, latency: { _ in 35 })
        // The alert remains while the latency is between 0.9 times the limit and the limit of 30 ms.
        line.play(60, latency: { _ in 28.3 })
        #expect(line.entries.map(\.name) == ["raised"])
        line.play(60, latency: { _ in 24 })
        #expect(line.entries.map(\.name) == ["raised", "cleared"])
        // After 5 s, the short window contains none of the slower frames.
        let cleared = try #require(line.entries.last).time
        #expect((154...156).contains(cleared), "\(line.entries)")
        #expect(line.book.alerts.isEmpty)
    }

    @Test func aCriticalAlertIsEasedToAWarningBeforeItIsCleared() throws {
        var line = try Timeline("encoder: p95=20ms")
        line.play(60)
        line.play(70, latency: { _ in 50 })
        line.play(40, latency: { _ in 32 })
        line.play(40)
        let changes = line.entries.map { "\($0.name) \($0.severity.rawValue)" }
        #expect(changes == ["raised critical", "eased warning", "cleared warning"], "\(line.entries)")
    }

    @Test func aWarningThatBecomesWorseIsRaisedAgainAsCritical() throws {
        var line = try Timeline("encoder: p95=20ms")
        line.play(60)
        line.play(20, latency: { _ in 35 })
        line.play(20, latency: { _ in 60 })
        #expect(line.entries.map { "\($0.name) \($0.severity.rawValue)" } == ["raised warning", "raised critical"])
        #expect(line.events.last?.alert.since == line.events.first?.alert.since)
    }

    @Test func aSpikeRaisesNothing() throws {
        var line = try Timeline(Self.targets)
        for _ in 0..<10 {
            line.play(90)
            line.play(1, latency: { _ in 500 })
        }
        line.play(60)
        #expect(line.entries.isEmpty)
    }

    @Test(arguments: [3, 17, 61, 400])
    func anHourOfOscillationEightPerCentAboutTheLimitRaisesNothing(period: Int) throws {
        var line = try Timeline(
            "encoder: p50=20ms, p95=20ms, p99=20ms, rate=30, compliance=95%; pipeline: memory=200MB, energy=5W")
        for step in 0..<3600 {
            // `wave` is a triangle wave from -1 to 1. The 8 % of variation include the random ±5 % of the latency.
            let place = Double(step % period) / Double(period)
            let wave = (4 * abs(place - 0.5)) - 1
            line.memory = 200e6 * (1 + (0.08 * wave))
            line.power = 5 * (1 - (0.08 * wave))
            line.play(1, rate: 30 * (1 - (0.08 * wave)), latency: { _ in 20 * (1 + (0.08 * wave)) / 1.05 })
        }
        #expect(line.entries.isEmpty, "\(line.entries)")
    }

    @Test func aStallRaisesARateAlertWithinSixSecondsAndEndsIt() throws {
        var line = try Timeline(Self.targets)
        line.play(120)
        line.play(20, rate: 0)
        let first = try #require(line.entries.first)
        #expect(line.entries.count == 1 && first.metric == .rate && first.severity == .critical, "\(line.entries)")
        #expect(first.time <= 126)
        line.play(120)
        #expect(line.entries.map(\.name) == ["raised", "cleared"], "\(line.entries)")
    }

    @Test func aLowerRateRaisesAnAlert() throws {
        var line = try Timeline("encoder: rate=30")
        line.play(120)
        line.play(90, rate: 26)
        #expect(line.entries.map { "\($0.name) \($0.severity.rawValue)" } == ["raised warning"], "\(line.entries)")
        line.play(90, rate: 29.97)
        #expect(line.entries.last?.name == "cleared")
    }

    @Test(arguments: [2, 30, 600])
    func aGapOrAPauseRaisesNothing(seconds: Int) throws {
        var line = try Timeline(Self.targets)
        for _ in 0..<5 {
            line.play(100)
            line.becomesQuiet(seconds: UInt64(seconds))
            line.play(seconds, rate: 0)
        }
        line.play(60)
        line.becomesQuiet()
        line.play(seconds, rate: 0)
        line.play(60)
        #expect(line.entries.isEmpty, "\(line.entries)")
    }

    /// A short window of 60 s still contains frames from before the pause.
    @Test(arguments: ["5s", "60s"])
    func anAlertIsNotCurrentWhileNoFrameFlows(window: String) throws {
        var line = try Timeline("encoder: p95=20ms, rate=25, window=\(window)")
        line.play(60)
        line.play(120, rate: 15, latency: { _ in 90 })
        #expect(line.book.alerts.map(\.isCurrent) == [true, true])
        line.becomesQuiet()
        for _ in 0..<20 {
            line.play(1, rate: 0)
            #expect(line.book.alerts.map(\.isCurrent) == [false, false])
        }
        line.play(5, rate: 15, latency: { _ in 90 })
        #expect(line.book.alerts.map(\.isCurrent) == [true, true])
    }

    @Test func anAlertAboutFramesBetweenGapsIsCurrentWhenOnePasses() throws {
        var line = try Timeline("encoder: p95=20ms, samples=10")
        line.play(30, latency: { _ in 90 })
        var current: [Bool] = []
        for _ in 0..<3 {
            line.pass(milliseconds: 90)
            for _ in 0..<4 {
                line.becomesQuiet()
                line.play(1, rate: 0)
                current += line.book.alerts.map(\.isCurrent)
            }
        }
        #expect(current == [true, false, false, false, true, false, false, false, true, false, false, false])
    }

    @Test func aStallAfterAGapIsStillAStall() throws {
        var line = try Timeline("encoder: rate=30")
        line.play(100)
        line.becomesQuiet(seconds: 20)
        line.play(40, rate: 0)
        #expect(line.entries.map(\.name) == ["raised"])
        #expect((121...127).contains(try #require(line.entries.first).time), "\(line.entries)")
    }

    @Test(arguments: [0, 5, 3600])
    func aRestartWithSlowFirstFramesRaisesNothing(seconds: UInt64) throws {
        var line = try Timeline("encoder: p50=20ms, p95=20ms, p99=40ms, rate=30, compliance=95%")
        for _ in 0..<5 {
            line.play(100)
            line.restart(after: seconds)
            line.play(2, rate: 15, latency: { $0 == 0 ? 400 : 100 })
            line.play(3)
        }
        line.play(100)
        // Only the long window contains the slow frames of the start, but an alert requires both windows.
        #expect(line.entries.isEmpty, "\(line.entries)")
    }

    @Test func aRestartClearsTheAlertsThatStand() throws {
        var line = try Timeline(Self.targets)
        line.play(60)
        line.play(20, latency: { _ in 50 })
        let raised = line.book.alerts.count
        #expect(raised == 2, "P95 and compliance")
        line.restart(after: 1)
        #expect(line.book.alerts.isEmpty)
        #expect(line.entries.suffix(raised).allSatisfy { $0.name == "cleared" })
    }

    @Test func fewerThanFiftyFramesRaiseNothing() throws {
        var line = try Timeline("encoder: p95=20ms, compliance=95%, rate=0.8")
        line.play(600, rate: 0.8, latency: { _ in 500 })
        #expect(line.entries.isEmpty, "\(line.entries)")
        line.play(600, rate: 0.9, latency: { _ in 500 })
        #expect(Set(line.entries.map(\.metric)) == [.p95, .compliance])
    }

    @Test func slowWorkIsWatchedWithALongerWindow() throws {
        var line = try Timeline("encoder: p95=200ms, rate=0.2, window=60s")
        line.play(1800, rate: 0.2, latency: { _ in 100 })
        #expect(line.entries.isEmpty, "\(line.entries)")
        line.play(600, rate: 0.2, latency: { _ in 500 })
        #expect(line.entries.map(\.metric) == [.p95], "\(line.entries)")
    }

    @Test func memoryAndEnergyAreWatchedInThePipelineAndElsewhereReportedAsNotMeasured() throws {
        var line = try Timeline("pipeline: memory=200MB, energy=5W; encoder: memory=50MB")
        line.memory = 190e6
        line.play(100)
        #expect(
            line.book.unmeasured.map { "\($0.element) \($0.metric.rawValue)" }.sorted() == [
                "encoder memory", "pipeline energy",
            ])
        line.memory = 320e6
        line.power = 4
        line.play(60)
        #expect(line.entries.map { "\($0.name) \($0.severity.rawValue)" } == ["raised warning", "raised critical"])
        #expect(line.book.unmeasured.map(\.metric) == [.memory])
    }

    @Test func aTargetThatMatchesNoElementIsReported() throws {
        var line = try Timeline("encoder: p95=20ms; decoder: p95=20ms")
        line.play(2)
        #expect(line.book.unmatched == ["decoder"])
    }

    @Test func thePipelineHasTheAgeOfTheFramesAtItsSinks() throws {
        var line = try Timeline("pipeline: p95=20ms")
        line.play(60)
        line.play(30, latency: { _ in 90 })
        #expect(line.events.first?.alert.element == "pipeline" && line.entries.first?.metric == .p95)
    }
}
