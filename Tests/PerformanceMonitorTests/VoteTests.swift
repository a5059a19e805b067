import CGStreamer
import GstTestSupport
import MachineState
import Testing
import ThermalPolicy

@testable import MonitorPolicy

/// Tests votes of `perfmonitor act=vote`, and the steps of `thermalcaps` that the votes cause.
@Suite(.serialized) struct VoteTests {
    /// A `VoteLadder` that sends its votes to a `LadderClimb`, in simulated seconds.
    private struct Run {
        var ladder = VoteLadder(monitor: "m")
        var climb = LadderClimb()
        var second = 0
        /// Value of the alert in the short window; the target is 0.1.
        var recent = 0.2

        /// Rung and reasons after each second; `isSlow` keeps an alert active, and `arrives` delivers the votes.
        mutating func play(_ seconds: Int, isSlow: Bool, arrives: Bool = true) -> [(rung: Int, reasons: [String])] {
            (0..<seconds).map { _ in
                defer { second += 1 }
                let now = Duration.seconds(second)
                for vote in ladder.tick(isSlow ? [alert] : [], now: now) where arrives {
                    climb.degrade(vote.reason, until: now + VoteLadder.duration)
                }
                return (update(now), climb.reasons)
            }
        }

        /// Rung after each of `seconds` seconds while the monitor is blocked and sends no vote.
        mutating func block(_ seconds: Int) -> [Int] {
            (0..<seconds).map { _ in
                defer { second += 1 }
                return update(.seconds(second))
            }
        }

        private mutating func update(_ now: Duration) -> Int {
            let entries: [ThermalLevel] = [.nominal, .serious, .critical, .critical]
            return climb.update(.nominal, entries: entries, now: now)
        }

        var alert: Alert {
            Alert(
                severity: .warning, element: "pipeline", metric: .p95, target: 0.1, value: 0.2, recent: recent,
                window: .seconds(60), samples: 1000, since: .zero, tiers: [])
        }
    }

    @Test func eachVoteIsOneStepOfTheLadder() {
        var run = Run()
        let slow = run.play(11, isSlow: true)
        #expect(slow.map(\.rung) == [1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3])
        #expect(slow[0].reasons == ["m:performance"])
        #expect(slow[10].reasons == ["m:performance", "m:performance-2", "m:performance-3"])
    }

    @Test func theLadderIsClimbedWhenTheVotesHaveEnded() {
        var run = Run()
        #expect(run.play(11, isSlow: true).last?.rung == 3)
        let calm = run.play(200, isSlow: false)
        // The three votes end after 24, 34 and 44 s. The first step back follows 40 s after the last vote.
        #expect(calm.firstIndex { $0.reasons.count < 3 } == 24)
        #expect(calm.firstIndex { $0.reasons.isEmpty } == 44)
        #expect(calm.firstIndex { $0.rung < 3 } == 84)
        #expect(calm.last?.rung == 0)
    }

    @Test func votesThatNoLongerArriveEndAfterTheirDuration() {
        var run = Run()
        _ = run.play(3, isSlow: true)
        let lost = run.play(20, isSlow: true, arrives: false)
        #expect(lost.map(\.reasons.isEmpty) == Array(repeating: false, count: 14) + Array(repeating: true, count: 6))
    }

    @Test func theVotesOfTwoMonitorsAreStepsOfTheirOwn() {
        var run = Run()
        #expect(run.play(1, isSlow: true).last?.rung == 1)
        var other = VoteLadder(monitor: "n")
        let votes = other.tick([run.alert], now: .seconds(1))
        for vote in votes { run.climb.degrade(vote.reason, until: .seconds(16)) }
        #expect(run.play(3, isSlow: true).last?.rung == 2)
    }

    @Test func aMonitorThatIsBlockedForTenSecondsCausesNoStep() {
        var run = Run()
        #expect(run.play(1, isSlow: true).last?.rung == 1)
        run.recent = 0.05
        for _ in 0..<3 {
            #expect(run.play(5, isSlow: true).map(\.rung) == [1, 1, 1, 1, 1])
            #expect(run.block(10).allSatisfy { $0 == 1 })
        }
        #expect(run.play(5, isSlow: true).last?.rung == 1)
    }

    /// Tests that earlier steps do not return if the pipeline became fast while votes were disabled.
    @Test(arguments: [("act", "none", "vote"), ("enabled", "false", "true")])
    func noStepReturnsWhenVotesAreEnabledAgain(property: String, off: String, on: String) {
        let pipeline = Pipeline(
            "videotestsrc is-live=true ! capsfilter caps=\"video/x-raw,width=320,height=240,framerate=30/1;video/x-raw\" ! thermalcaps name=t sensor-root=/nowhere poll-interval=10000000 up-dwell=50000000 down-dwell=50000000 ! identity name=i sleep-time=15000 ! fakesink name=s perfmonitor name=m report=none act=vote targets=\"i: p50=2ms, window=1s, samples=10\""
        )
        let sink = PadRecorder(pipeline)
        func reasons() -> String { pipeline.get("limitation-reasons", of: "t") }
        #expect(pipeline.go(GST_STATE_PLAYING))
        #expect(eventually { reasons().contains("performance-2") })
        pipeline.set(property, to: off, of: "m")
        pipeline.set("sleep-time", to: "0", of: "i")
        #expect(eventually { !reasons().contains("performance") })
        // The monitor clears no alert while it is disabled.
        if property == "act" { #expect(eventually { !pipeline.get("alerts", of: "m").contains("alert-0") }) }
        pipeline.set(property, to: on, of: "m")
        // 80 frames take longer than two rounds of the monitor.
        let frames = sink.frames
        #expect(eventually { sink.frames > frames + 80 || reasons().contains("performance-2") })
        #expect(!reasons().contains("performance-2"))
        pipeline.end()
    }

    /// The target of 28 frames/s exceeds the 20 frames/s that the votes request, but must not keep the votes active.
    @Test func aSlowPipelineStepsDownAndUpAgainWhenTheVotesEnd() throws {
        let pipeline = Pipeline(
            "videotestsrc is-live=true ! capsfilter caps=\"video/x-raw,width=320,height=240,framerate=30/1;video/x-raw\" ! thermalcaps name=t sensor-root=/nowhere poll-interval=10000000 up-dwell=50000000 down-dwell=50000000 ! identity name=i sleep-time=15000 ! fakesink name=s perfmonitor name=m report=none act=vote targets=\"i: p50=2ms, rate=28, window=1s, samples=10\""
        )
        let sink = PadRecorder(pipeline)
        func text(_ property: String) -> String { pipeline.get(property, of: "t").filter { $0 != "\"" && $0 != "\\" } }
        #expect(pipeline.go(GST_STATE_PLAYING))
        #expect(eventually { sink.frames > 10 })
        #expect(text("limitation-reasons") == "" && text("current-action") == "none")
        #expect(eventually { text("limitation-reasons") == "m:performance" })
        #expect(eventually { text("current-action") == "20/1 fps" && sink.last == "320x240@20/1" })
        // When the monitor repeats a vote, `thermalcaps` extends the same request.
        let frames = sink.frames
        #expect(eventually { sink.frames > frames + 40 })
        #expect(text("limitation-reasons").hasPrefix("m:performance"))
        pipeline.set("sleep-time", to: "0", of: "i")
        // The alert is cleared after 2 s, the votes end in intervals of 10 s, and the last vote ends after 15 s.
        #expect(eventually(within: .seconds(90)) { text("limitation-reasons") == "" })
        #expect(eventually { text("current-action") == "none" && sink.last == "320x240@30/1" })
        let posted = pipeline.listen(seconds: 0)
        pipeline.end()
        #expect(posted.contains { $0.hasPrefix("element: performance-alert") })
        #expect(!posted.contains { $0.hasPrefix("error") }, "\(posted)")
    }
}
