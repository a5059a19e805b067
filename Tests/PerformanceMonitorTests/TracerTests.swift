import Foundation
import GstTestSupport
import Testing

/// Tests the tracer `perfmonitor-tracer` in `gst-launch-1.0` with the plugin of `plugin-build/build`.
@Suite(.serialized) struct TracerTests {
    // MARK: Figures

    @Test(arguments: [
        (
            "videotestsrc num-buffers=80 ! queue ! identity name=middle ! fakesink",
            ["videotestsrc0": [0, 80], "queue0": [80, 80], "middle": [80, 80], "fakesink0": [80, 0]]
        ),
        (
            "videotestsrc num-buffers=80 ! tee name=t ! queue ! fakesink t. ! queue ! identity drop-probability=1 ! fakesink",
            ["t": [80, 160], "queue0": [80, 80], "fakesink0": [80, 0], "identity0": [80, 0], "fakesink1": [0, 0]]
        ),
        (
            "( videotestsrc num-buffers=80 ! identity name=inside ) ! identity ! ( fakesink name=last )",
            ["videotestsrc0": [0, 80], "inside": [80, 80], "identity0": [80, 80], "last": [80, 0]]
        ),
        (
            // The header, the samples, a chunk with the title, and the header once more.
            "audiotestsrc num-buffers=80 ! taginject tags=title=tone ! wavenc ! fakesink",
            ["audiotestsrc0": [0, 80], "wavenc0": [80, 83], "fakesink0": [83, 0]]
        ),
    ])
    func countsTheFramesOfEachElement(line: String, frames: [String: [Double]]) async throws {
        let run = try await Launch(measuring: line)
        let (entered, left) = (run.values("gst_frames_in_total"), run.values("gst_frames_out_total"))
        for (name, counts) in frames { #expect([entered[name], left[name]] == counts, "\(name) in \(line)") }
    }

    @Test func countsTheFramesOfLists() async throws {
        // The packets of this format have all four bytes of a pixel.
        let line = "videotestsrc num-buffers=20 ! video/x-raw,format=RGBA ! rtpvrawpay ! rtpvrawdepay ! fakesink"
        let run = try await Launch(measuring: line)
        let (entered, left) = (run.values("gst_bytes_in_total"), run.values("gst_bytes_out_total"))
        #expect(left["videotestsrc0"] == 20 * 320 * 240 * 4 && entered["fakesink0"] == left["videotestsrc0"])
        #expect(try #require(left["rtpvrawpay0"]) > #require(left["videotestsrc0"]))
        #expect(left["rtpvrawpay0"] == entered["rtpvrawdepay0"])
        #expect(run.values("gst_frames_in_total")["fakesink0"] == 20)
    }

    /// `identity` has no chain function for lists, so it passes the buffers one by one.
    @Test func countsTheBuffersOfListsThatAreDivided() async throws {
        let run = try await Launch(measuring: "videotestsrc num-buffers=20 ! rtpvrawpay ! identity name=i ! fakesink")
        let (entered, left) = (run.values("gst_frames_in_total"), run.values("gst_frames_out_total"))
        #expect(try #require(entered["i"]) > 20 && entered["i"] == left["i"], "\(entered) \(left)")
        #expect(run.values("gst_frames_dropped_total")["i"] == 0)
    }

    @Test func countsTheFramesThatArePulled() async throws {
        let file = Setup.newFolder().appending(path: "sound.wav").path
        try #require(try await Launch("audiotestsrc num-buffers=50 ! wavenc ! filesink location=\(file)").status == 0)
        let run = try await Launch(measuring: "filesrc location=\(file) ! wavparse ! fakesink")
        let (entered, left) = (run.values("gst_bytes_in_total"), run.values("gst_bytes_out_total"))
        #expect(left["wavparse0"] == 50 * 1024 * 2 && entered["fakesink0"] == left["wavparse0"])
        #expect(try #require(entered["wavparse0"]) >= 50 * 1024 * 2 && entered["wavparse0"] == left["filesrc0"])
    }

    @Test func dividesTheTimeOfAThreadAmongTheElementsThatSpendIt() async throws {
        let line = """
            videotestsrc num-buffers=60 ! identity name=slow sleep-time=4000 ! identity name=slower sleep-time=8000 \
            ! identity name=quick ! fakesink
            """
        let run = try await Launch(measuring: line)
        let (own, blocked) = (run.values("gst_own_seconds_total"), run.values("gst_blocked_seconds_total"))
        let (slow, slower, quick) = try (
            #require(own["slow"]), #require(own["slower"]), #require(own["quick"])
        )
        #expect(slow >= 60 * 0.004 && slower >= 60 * 0.008 && quick < slow / 4)
        #expect(own["videotestsrc0"] == nil, "a source is not called by a push")
        // The time of the source's pushes is the sum of the times of all other elements.
        let first = try #require(blocked["videotestsrc0"])
        let sum = own.values.reduce(0, +)
        #expect(abs(first - sum) < first / 20, "\(first) \(sum)")
        #expect(try #require(blocked["slow"]) >= slower && #require(blocked["slower"]) < slow)
    }

    @Test func aQueueEndsTheTimeOfAPush() async throws {
        let line = "videotestsrc num-buffers=40 ! queue max-size-buffers=0 max-size-bytes=0 max-size-time=0 "
        let run = try await Launch(measuring: line + "! identity name=slow sleep-time=5000 ! fakesink")
        let blocked = run.values("gst_blocked_seconds_total")
        let slow = try #require(run.values("gst_own_seconds_total")["slow"])
        #expect(try slow >= 40 * 0.005 && #require(blocked["queue0"]) >= slow)
        #expect(try #require(blocked["videotestsrc0"]) < slow / 4)
    }

    // MARK: One measurement

    @Test func leavesAPipelineWithAnEnabledMonitorToThat() async throws {
        let line = "videotestsrc num-buffers=5 ! fakesink perfmonitor"
        let both = try await Launch(line, tracer: "")
        #expect(both.output.ranges(of: "videotestsrc0 ").count == 1 && !both.output.contains("blocked"))
        let disabled = try await Launch("\(line) enabled=false report=none", tracer: "")
        #expect(disabled.output.ranges(of: "videotestsrc0 ").count == 1 && disabled.output.contains("blocked"))
    }

    @Test func aSecondTracerIsIgnored() async throws {
        let run = try await Launch("videotestsrc num-buffers=5 ! fakesink", tracer: ");perfmonitor-tracer(")
        #expect(run.output.contains("perfmonitor-tracer: The tracer can be used only once"))
        #expect(run.output.ranges(of: "fakesink0 ").count == 1 && run.status == 0)
    }

    // MARK: Parameters and faults

    @Test(arguments: [
        ("bad=1", "There is no parameter \"bad\"."),
        ("report=liev", "\"liev\" cannot be the value of the parameter \"report\"."),
        ("log-interval=5", "\"5\" cannot be the value of the parameter \"log-interval\"."),
        ("stats=1", "The parameter \"stats\" cannot be set."),
        ("targets=encoder p95", "The targets cannot be read: "),
        ("targets=encoder: p95=20ms, rate=30", "There is no parameter \"rate\"."),
        ("report", "\"report\" is not name=value"),
        ("targets=\"encoder: p95=20ms", "The quote in "),
        ("log-file=/nowhere/at/all", "The log-file \"/nowhere/at/all\" cannot be opened: "),
        ("trace-file=/nowhere/at/all", "The trace-file \"/nowhere/at/all\" cannot be opened: "),
        ("dashboard=192.0.2.1:80", "The dashboard cannot be served at 192.0.2.1:80: "),
    ])
    func aParameterThatCannotBeUsedIsNamedAndThePipelineIsMeasured(parameters: String, fault: String) async throws {
        let run = try await Launch("videotestsrc num-buffers=5 ! fakesink", tracer: parameters)
        let lines = run.output.split(separator: "\n").filter { $0.hasPrefix("perfmonitor-tracer: ") }
        #expect(lines.count == 1 && lines[0].contains(fault), "\(run.output)")
        #expect(run.status == 0 && run.output.contains("videotestsrc0 "), "\(run.output)")
    }

    @Test func parametersReachTheMonitor() async throws {
        let folder = Setup.newFolder()
        let (log, trace) = (folder.appending(path: "log.json"), folder.appending(path: "trace"))
        let parameters = """
            report=none,elements='video*,*sink',log-file=\(log.path),trace-file="\(trace.path)",\
            targets="sink: p95=20ms, rate=30 | pipeline: memory=1GB"
            """
        let run = try await Launch("videotestsrc num-buffers=5 ! identity ! fakesink", tracer: parameters)
        #expect(run.output.isEmpty && run.status == 0, "\(run.output)")
        let line = try String(contentsOf: log, encoding: .utf8)
        #expect(line.contains("videotestsrc0") && line.contains("fakesink0") && !line.contains("identity0"))
        #expect(try !Data(contentsOf: trace).isEmpty)
    }

    @Test func thePipelinePostsFaults() async throws {
        let line = "videotestsrc is-live=true num-buffers=60 ! fakesink"
        let run = try await Launch(line, tracer: "report=none,metrics-file=/nowhere/at/all", isQuiet: false)
        #expect(run.output.contains("WARNING: from element /GstPipeline:pipeline0: The metrics-file"), "\(run.output)")
        #expect(run.status == 0)
    }
}

/// A run of `gst-launch-1.0` with the plugin.
private struct Launch {
    let output: String
    let status: Int32
    private var metrics = ""

    /// Plays `line`, with the tracer if `parameters` is not nil.
    init(_ line: String, tracer parameters: String? = nil, isQuiet: Bool = true) async throws {
        let run = try ProgramRun(
            "gst-launch-1.0", (isQuiet ? ["-q"] : []) + line.split(separator: " ").map(String.init),
            ["GST_TRACERS": parameters.map { "perfmonitor-tracer(\($0))" } ?? ""])
        (output, status) = (run.output, run.status)
    }

    /// Plays a line with the tracer, and reads the last metrics of its pipeline.
    init(measuring line: String) async throws {
        let file = Setup.newFolder().appending(path: "metrics")
        self = try await Launch(line, tracer: "report=none,elements=*,metrics-file=\(file.path)")
        #expect(status == 0, "\(output)")
        metrics = try String(contentsOf: file, encoding: .utf8)
    }

    /// Values of `metric` for each element name.
    func values(_ metric: String) -> [String: Double] {
        var values: [String: Double] = [:]
        for line in metrics.split(separator: "\n") where line.hasPrefix("\(metric){") {
            guard let name = line.firstMatch(of: /element="([^"]*)"/)?.1, let value = line.split(separator: " ").last
            else { continue }
            values[String(name)] = Double(value)
        }
        return values
    }
}
