import Foundation
import GstTestSupport
import Testing

/// Tests several pipelines in one process with the tracer `perfmonitor-tracer`.
@Suite(.serialized, .enabled(if: (try? Python.hasGStreamer()) == true)) struct SeveralPipelinesTests {
    /// Plays three pipelines together or successively, and prints `done` after each pipeline.
    private static let script = """
        import resource
        import sys
        import gi
        gi.require_version("Gst", "1.0")
        from gi.repository import Gst
        Gst.init(None)
        if "full" in sys.argv:
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        line = "videotestsrc is-live=true num-buffers=45 ! video/x-raw,framerate=30/1 ! fakesink name=end"
        groups = [[0, 1, 2]] if sys.argv[1] == "together" else [[0], [1], [2]]
        for group in groups:
            pipelines = [Gst.parse_launch(f"{line}{number}") for number in group]
            for pipeline in pipelines:
                pipeline.set_state(Gst.State.PLAYING)
            for pipeline in pipelines:
                pipeline.get_bus().timed_pop_filtered(20 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
            for pipeline in pipelines:
                pipeline.set_state(Gst.State.NULL)
                print("done")
        """

    private func play(_ order: String, _ parameters: String, _ disk: String = "") throws -> String {
        let run = try Python(["-c", Self.script, order, disk], ["GST_TRACERS": "perfmonitor-tracer(\(parameters))"])
        #expect(run.status == 0 && run.output.ranges(of: "done").count == 3, "\(run.output)")
        return run.output
    }

    @Test func pipelinesAtTheSameTimeHaveFilesOfTheirOwn() throws {
        let folder = Setup.newFolder()
        let output = try play(
            "together",
            "report=none,log-interval=1000000000,log-file=\(folder.path)/log.jsonl,metrics-file=\(folder.path)/m.prom")
        #expect(!output.contains("perfmonitor-tracer"), "\(output)")
        for (number, infix) in ["", "-pipeline1", "-pipeline2"].enumerated() {
            let log = try String(contentsOf: folder.appending(path: "log\(infix).jsonl"), encoding: .utf8)
            let lines = log.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count >= 3 && lines.last == "", "\(log)")
            for line in lines.dropLast() {
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                let names = (object?["elements"] as? [[String: Any]])?.compactMap { $0["name"] as? String }
                #expect(names?.contains("end\(number)") == true, "\(line)")
            }
            let metrics = try String(contentsOf: folder.appending(path: "m\(infix).prom"), encoding: .utf8)
            #expect(metrics.contains("element=\"end\(number)\""))
            for other in 0..<3 where other != number { #expect(!metrics.contains("element=\"end\(other)\"")) }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 6)
    }

    @Test func pipelinesInTurnContinueTheLogAndReplaceTheMetrics() throws {
        let folder = Setup.newFolder()
        let output = try play(
            "in turns",
            "report=none,log-interval=1000000000,log-file=\(folder.path)/log.jsonl,metrics-file=\(folder.path)/m.prom")
        #expect(!output.contains("perfmonitor-tracer"), "\(output)")
        let log = try String(contentsOf: folder.appending(path: "log.jsonl"), encoding: .utf8)
        let metrics = try String(contentsOf: folder.appending(path: "m.prom"), encoding: .utf8)
        for number in 0..<3 {
            #expect(log.contains("\"end\(number)\""))
            #expect(metrics.contains("element=\"end\(number)\"") == (number == 2))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
    }

    @Test func aTraceThatCannotBeWrittenIsNamedOnce() throws {
        let trace = Setup.newFolder().appending(path: "a.trace").path
        let output = try play("together", "report=none,trace-file=\(trace)", "full")
        let faults = output.ranges(of: "The trace-file \"\(trace)\" cannot be written: File too large.")
        #expect(faults.count == 1, "\(output)")
    }

    @Test func pipelinesAtTheSameTimeShareATrace() throws {
        let folder = Setup.newFolder()
        let output = try play("together", "report=none,trace-file=\(folder.path)/a.trace")
        #expect(!output.contains("perfmonitor-tracer"), "\(output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.trace"])
        let trace = try Data(contentsOf: folder.appending(path: "a.trace"))
        for number in 0..<3 { #expect(trace.firstRange(of: Data("end\(number)".utf8)) != nil) }
    }

    @Test func aLaterTraceDoesNotReplaceAnEarlierOne() throws {
        let folder = Setup.newFolder()
        _ = try play("in turns", "report=none,trace-file=\(folder.path)/a.trace")
        for (number, name) in ["a.trace", "a-2.trace", "a-3.trace"].enumerated() {
            let trace = try Data(contentsOf: folder.appending(path: name))
            #expect(trace.firstRange(of: Data("end\(number)".utf8)) != nil)
        }
    }

    /// Another socket already listens at the configured port.
    @Test func eachPipelineHasADashboardOnTheNextFreePort() throws {
        let (socket, port) = try occupiedPort()
        defer { close(socket) }
        let output = try play("together", "report=none,dashboard=127.0.0.1:\(port)")
        let found = output.matches(of: /The dashboard of (\w+) is at http:\/\/127.0.0.1:(\d+)\//)
        #expect(found.map { String($0.1) } == ["pipeline0", "pipeline1", "pipeline2"], "\(output)")
        let ports = found.compactMap { Int($0.2) }
        #expect(Set(ports).count == 3 && ports.allSatisfy { $0 > port && $0 <= port + 31 }, "\(output)")
        #expect(!output.contains("cannot"), "\(output)")
    }

    @Test func aFaultOfAnOutputIsNamedOnce() throws {
        let output = try play(
            "together", "report=none,log-file=/nowhere/at/all,dashboard=192.0.2.1:80,trace-file=/nowhere/trace")
        #expect(output.ranges(of: "perfmonitor-tracer: ").count == 3, "\(output)")
    }

    /// A listening socket and its port, which is followed by at least 31 higher ports.
    private func occupiedPort() throws -> (CInt, Int) {
        for port in stride(from: 21_000, to: 60_000, by: 97) {
            let one = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            address.sin_port = in_port_t(port).bigEndian
            let isBound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(one, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            if isBound, listen(one, 1) == 0 { return (one, port) }
            close(one)
        }
        throw CocoaError(.featureUnsupported)
    }
}
