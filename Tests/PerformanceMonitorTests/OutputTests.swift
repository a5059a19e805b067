import CGStreamer
import Foundation
import GstTestSupport
import Testing

/// Files and the dashboard.
@Suite(.serialized) struct OutputTests {
    private static let line =
        "videotestsrc num-buffers=40 is-live=true ! capsfilter caps=video/x-raw,framerate=30/1,width=32,height=32 ! queue name=q ! fakesink name=s perfmonitor name=m report=none "

    @Test func eachLineOfTheLogIsJSON() throws {
        let log = Setup.newFolder().appending(path: "log.json")
        let line = Self.line.replacing("num-buffers=40 ", with: "")
        let pipeline = Pipeline(line + "log-file=\(log.path) log-interval=1000000000")
        #expect(pipeline.go(GST_STATE_PLAYING))
        #expect(eventually { (try? String(contentsOf: log, encoding: .utf8))?.contains("\n{") == true })
        gst_element_send_event(pipeline.raw, gst_event_new_eos())
        #expect(pipeline.listen() == ["eos"])
        pipeline.end()
        let text = try String(contentsOf: log, encoding: .utf8)
        #expect(text.hasSuffix("\n"))
        let lines = text.split(separator: "\n")
        #expect(lines.count >= 2)
        for line in lines {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect((object?["elements"] as? [[String: Any]])?.isEmpty == false)
        }
    }

    @Test func metricsFileIsAlwaysWhole() throws {
        let folder = Setup.newFolder()
        let file = folder.appending(path: "m.prom")
        let pipeline = Pipeline(Self.line + "metrics-file=\(file.path)")
        #expect(pipeline.go(GST_STATE_PLAYING))
        #expect(try String(contentsOf: file, encoding: .utf8).hasSuffix("\n"))
        #expect(pipeline.listen() == ["eos"])
        pipeline.end()
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("gst_frames_in_total{") && text.hasSuffix("\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["m.prom"])
    }

    @Test func deviceIsNotReplacedByMetrics() {
        let fifo = Setup.newFolder().appending(path: "fifo").path
        #expect(mkfifo(fifo, 0o600) == 0)
        let posted = Pipeline(Self.line + "metrics-file=\(fifo)").play()
        #expect(posted == ["error: The metrics-file \"\(fifo)\" cannot be written: It is not a regular file."])
        var status = stat()
        #expect(stat(fifo, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test(arguments: ["log-file", "metrics-file", "trace-file"])
    func pathThatCannotBeWrittenIsOneError(property: String) {
        let posted = Pipeline(Self.line + "\(property)=/nonexistent/file").play()
        #expect(posted.count == 1)
        #expect(posted.first?.hasPrefix("error: The \(property) \"/nonexistent/file\" cannot be ") == true)
    }

    @Test func fullDiskIsOneWarningAndTheStreamContinues() {
        let pipeline = Pipeline(
            Self.line.replacing("=40", with: "=80") + "log-file=/dev/full log-interval=1000000000")
        let sink = PadRecorder(pipeline)
        let posted = pipeline.play()
        pipeline.end()
        #expect(posted.count == 2 && posted.last == "eos")
        #expect(posted.first?.hasPrefix("warning: The log-file \"/dev/full\" cannot be written") == true)
        #expect(sink.frames == 80)
    }

    @Test func addressInUseIsOneError() throws {
        let first = Pipeline(Self.line + "dashboard=127.0.0.1:0")
        #expect(first.go(GST_STATE_PLAYING))
        let url = try #require(first.get("dashboard-url", of: "m").firstRange(of: "127.0.0.1:"))
        let port = first.get("dashboard-url", of: "m")[url.upperBound...].prefix { $0.isNumber }
        let posted = Pipeline(Self.line + "dashboard=127.0.0.1:\(port)").play()
        #expect(posted.count == 1)
        #expect(posted.first?.hasPrefix("error: The dashboard cannot be served at 127.0.0.1:\(port)") == true)
        first.end()
        #expect(first.get("dashboard-url", of: "m").contains("127.0.0.1") == false)
    }

    @Test func secondTraceIsOneErrorAndLeavesTheFirst() throws {
        let file = Setup.newFolder().appending(path: "a.pftrace")
        let first = Pipeline(Self.line + "trace-file=\(file.path)")
        #expect(first.go(GST_STATE_PLAYING))
        #expect(eventually { ((try? Data(contentsOf: file))?.count ?? 0) > 100 })
        let posted = Pipeline(Self.line + "trace-file=\(file.path)").play()
        #expect(posted.count == 1)
        #expect(posted.first?.hasPrefix("error: The trace-file \"\(file.path)\" cannot be recorded") == true)
        #expect(try Data(contentsOf: file).count > 100)
        #expect(first.listen() == ["eos"])
        first.end()
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(text.contains("videotestsrc") && text.contains("q"))
    }
}
