import CGStreamer
import Foundation
import GstTestSupport
import TestSupport
import Testing

/// Tests figures in the first second, figures after each kind of end, and elements that have the same name.
@Suite(.serialized) struct FirstAndLastFiguresTests {
    private static let live =
        "videotestsrc is-live=true ! capsfilter caps=video/x-raw,framerate=100/1,width=32,height=32 ! queue name=q ! fakesink name=s perfmonitor name=m report=none "

    /// If the monitor updated `stats` only once a second, `stats` would lack the frames that have just passed.
    @Test func statsHaveTheFramesThatHavePassed() {
        let pipeline = Pipeline(Self.live)
        let sink = PadRecorder(pipeline)
        #expect(pipeline.go(GST_STATE_PLAYING))
        #expect(pipeline.hasFigures(of: "s") && pipeline.hasFigures(of: "q"))
        for wanted in [5, 20, 40] {
            #expect(eventually { sink.frames >= wanted })
            // The recorder may count a frame before the monitor does.
            #expect(pipeline.figure("s", "in") ?? 0 >= Double(wanted - 1))
        }
        #expect(pipeline.figure("s", "age-count") ?? 0 > 0)
        pipeline.end()
    }

    @Test func statsMayBeReadOnManyThreadsWhileThePipelineStartsAndStops() {
        let pipeline = Pipeline(Self.live)
        let readers = (0..<4).map { _ in
            TestThread {
                for _ in 0..<300 { _ = pipeline.hasFigures(of: "s") }
            }
        }
        for _ in 0..<10 {
            gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
            _ = pipeline.hasFigures(of: "q")
            pipeline.end()
        }
        for reader in readers { reader.join() }
        #expect(pipeline.listen(seconds: 0) == [] && pipeline.hasFigures(of: "s"))
    }

    @Test func serverHasFiguresAtOnce() throws {
        let pipeline = Pipeline(Self.live + "dashboard=:0")
        #expect(pipeline.go(GST_STATE_PLAYING))
        let port = try #require(pipeline.dashboardPort)
        for (path, text) in [("metrics", "gst_frames_in_total{"), ("stats", #""name":"q""#)] {
            let answer = RawClient.get("/\(path)", port: port)
            #expect(answer.contains(text), "\(answer)")
        }
        pipeline.end()
    }

    /// Series of states that stop a pipeline in PLAYING or PAUSED.
    private static let ways: [[GstState]] = [
        [GST_STATE_NULL], [GST_STATE_READY], [GST_STATE_PAUSED, GST_STATE_NULL], [GST_STATE_READY, GST_STATE_NULL],
        [GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL],
    ]

    @Test(arguments: 0..<5, [false, true]) func lastFiguresAreGivenOnceOnEachWayDown(way: Int, plays: Bool) throws {
        let log = Setup.newFolder().appending(path: "log.json")
        let pipeline = Pipeline(
            "videotestsrc ! capsfilter caps=video/x-raw,width=32,height=32 ! queue name=q ! fakesink name=s sync=true perfmonitor name=m report=none log-interval=3600000000000 log-file=\(log.path)"
        )
        #expect(pipeline.go(plays ? GST_STATE_PLAYING : GST_STATE_PAUSED))
        #expect(eventually { pipeline.figure("q", "in") ?? 0 >= 5 })
        for state in Self.ways[way] { gst_element_set_state(pipeline.raw, state) }
        let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 1)
        let object = try JSONSerialization.jsonObject(with: Data((lines.first ?? "").utf8)) as? [String: Any]
        let elements = object?["elements"] as? [[String: Any]] ?? []
        let queue = elements.first { $0["name"] as? String == "q" }?["total"] as? [String: Any]
        #expect((queue?["in"] as? Double ?? 0) >= 5)
    }

    @Test func firstLineOfTheLogHasFactoriesAndLinks() throws {
        let log = Setup.newFolder().appending(path: "log.json")
        let pipeline = Pipeline(Self.live + "log-interval=1000000000 log-file=\(log.path)")
        #expect(pipeline.go(GST_STATE_PLAYING))
        func lines() throws -> [Substring] { try String(contentsOf: log, encoding: .utf8).split(separator: "\n") }
        #expect(eventually { (try? lines().contains { !$0.contains("factory") }) == true })
        pipeline.end()
        #expect(try lines()[0].contains(#""factory":"queue""#) && lines()[0].contains(#""links":["s"]"#))
        // On a busy machine, an element may get its first figures later. Only then, a later line has factories too.
        var before: [String] = []
        for line in try lines() {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            let names = (object?["elements"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
            #expect(line.contains("factory") == (names != before))
            before = names
        }
    }

    @Test func twoElementsOfOneNameAreApartInAllOutputs() throws {
        let folder = Setup.newFolder()
        let pipeline = Pipeline(
            "( videotestsrc num-buffers=50 ! fakesink name=s ) ( videotestsrc num-buffers=20 ! fakesink name=s ) perfmonitor name=m report=none metrics-file=\(folder.path)/m.prom log-file=\(folder.path)/log targets=\"s: rate=1\""
        )
        #expect(pipeline.play() == ["eos"])
        pipeline.end()
        #expect(Set([pipeline.figure("s", "in"), pipeline.figure("s#2", "in")]) == [50, 20])
        let text = try String(contentsOf: folder.appending(path: "m.prom"), encoding: .utf8)
        let series = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.prefix { $0 != " " } }
        #expect(series.count > 20 && Set(series).count == series.count)
        let log = try String(contentsOf: folder.appending(path: "log"), encoding: .utf8)
        #expect(log.contains(#""name":"s""#) && log.contains(#""name":"s#2""#))
        #expect(pipeline.listen(seconds: 0) == [], "the target has matched")
    }

    @Test(.enabled(if: FileManager.default.isReadableFile(atPath: "/proc/self/schedstat")))
    func threadsHaveTheTimeForWhichTheyWait() {
        let pipeline = Pipeline(Self.live)
        #expect(pipeline.go(GST_STATE_PLAYING))
        #expect(eventually { pipeline.figure("q", "cpu-wait") != nil })
        pipeline.end()
        #expect(pipeline.figure("q", "cpu-wait").map { (0...4).contains($0) } == true)
    }
}
