import CGStreamer
import GstTestSupport
import TestSupport
import Testing

/// Tests the figures that elements report, and the figures of the process.
@Suite(.serialized) struct LevelTests {
    /// The figures are read while the queue is nearly full.
    @Test func levelsOfQueuesAreThoseOfTheirProperties() {
        let pipeline = Pipeline(
            "videotestsrc is-live=true ! capsfilter caps=video/x-raw,framerate=100/1,width=32,height=32 ! queue name=q max-size-buffers=7 ! identity sleep-time=50000 ! fakesink name=s sync=false perfmonitor name=m report=none"
        )
        #expect(pipeline.go(GST_STATE_PLAYING))
        #expect(eventually { pipeline.figure("q", "current-level-buffers") ?? 0 >= 6 })
        #expect(pipeline.figure("q", "max-size-buffers") == 7)
        #expect(pipeline.figure("q", "current-level-bytes") ?? 0 >= 6 * 32 * 32 * 2)
        pipeline.end()
    }

    /// The monitor measures this plugin's elements although the property `elements` does not name them.
    @Test func ourOwnElementsReportPoolFramesInFlightDropsAndHeat() throws {
        let pipeline = Pipeline(
            "videotestsrc is-live=true ! capsfilter caps=video/x-raw,framerate=100/1,width=32,height=32 ! adaptivepool name=p ! thermalcaps name=t sensor-root=/nowhere forced-level=serious poll-interval=10000000 ! backpressurequeue name=b leaky=downstream max-size-buffers=2 ! identity sleep-time=100000 ! fakesink name=s sync=false perfmonitor name=m report=none"
        )
        #expect(pipeline.go(GST_STATE_PLAYING))
        #expect(eventually { pipeline.figure("b", "dropped") ?? 0 > 5 && pipeline.figure("b", "in-flight") ?? 0 > 0 })
        #expect(eventually { pipeline.figure("p", "current-buffers") ?? 0 > 0 })
        #expect(pipeline.figure("p", "outstanding-buffers") ?? 0 > 0)
        #expect(eventually { pipeline.figure("t", "ladder-step") == 1 })
        #expect(pipeline.figure("t", "thermal-level") == 2 && pipeline.figure("t", "temperature") == nil)
        #expect(pipeline.figure("t", "in") ?? 0 > pipeline.figure("b", "in") ?? 0)
        // Each dropped frame counts for one reason only.
        let reasons = try ["in-flight", "full", "late", "wait-keyframe", "flushed"].map {
            try #require(pipeline.figure("b", "dropped-\($0)"))
        }
        #expect(reasons.reduce(0, +) >= 5)
        pipeline.end()
    }

    @Test func aBusyThreadHasCPUTimeAndASleepingOneHasNone() throws {
        let pipeline = Pipeline(
            "videotestsrc name=busy pattern=snow ! capsfilter caps=video/x-raw,width=1280,height=720 ! fakesink videotestsrc name=idle is-live=true ! capsfilter caps=video/x-raw,framerate=5/1,width=32,height=32 ! fakesink perfmonitor name=m report=none"
        )
        #expect(pipeline.go(GST_STATE_PLAYING))
        let monitor = pipeline.element("m")
        #expect(eventually { pipeline.figure("busy", "cpu") ?? 0 > 0.05 && pipeline.figure("idle", "in") == 0 })
        let (busy, idle) = (try #require(pipeline.figure("busy", "cpu")), pipeline.figure("idle", "cpu") ?? 0)
        #expect(idle < busy / 4, "\(idle) beside \(busy)")
        #expect(try #require(monitor.processFigure("cpu")) >= busy * 0.9)
        pipeline.end()
    }

    @Test func memoryOfTheProcessIsThatOfTheKernel() throws {
        let pipeline = Pipeline("videotestsrc num-buffers=20 ! fakesink perfmonitor name=m report=none")
        #expect(pipeline.play() == ["eos"])
        pipeline.end()
        let monitor = pipeline.element("m")
        let (memory, peak) = (
            try #require(monitor.processFigure("memory")), try #require(monitor.processFigure("peak-memory"))
        )
        #expect(abs(memory / Double(residentMemory()) - 1) < 0.25 && peak >= memory)
        // `energy-source` names the source of the energy figure, or the reason for its absence.
        let source = pipeline.get("stats", of: "m").contains("energy-source=")
        #expect(source)
    }

    @Test func aStreamWithoutTimestampsHasNoLatency() {
        let pipeline = Pipeline(
            "fakesrc num-buffers=50 ! queue name=q ! fakesink name=s perfmonitor name=m report=none")
        #expect(pipeline.play() == ["eos"])
        pipeline.end()
        #expect(pipeline.figure("q", "out") == 50 && pipeline.figure("q", "latency-coverage") == 0)
        #expect(pipeline.figure("q", "latency-p50") == nil && pipeline.figure("s", "age-p50") == nil)
    }
}
