import CGStreamer
import Foundation
import GstTestSupport
import Testing

/// Tests output files and dashboards, including files and dashboards that cannot be opened.
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

    /// Kinds of files to which the monitor does not write.
    enum Trap: CaseIterable {
        case pipe, pipeWithReader, link, hardLink, device
    }

    @Test(arguments: ["log-file", "metrics-file", "trace-file"], Trap.allCases)
    func onlyFilesAreWritten(property: String, trap: Trap) throws {
        let folder = Setup.newFolder()
        let (path, kept) = (folder.appending(path: "figures").path, folder.appending(path: "kept"))
        try Data("kept".utf8).write(to: kept)
        var reader: CInt = -1
        defer { close(reader) }
        switch trap {
        case .pipe, .pipeWithReader: #expect(mkfifo(path, 0o600) == 0)
        case .link: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: kept.path)
        case .hardLink: #expect(link(kept.path, path) == 0)
        case .device: break
        }
        // A rename replaces the metrics file, so its other hard links keep their contents.
        if trap == .hardLink, property == "metrics-file" { return }
        if trap == .pipeWithReader { reader = open(path, O_RDONLY | O_NONBLOCK) }
        let named = trap == .device ? "/dev/null" : path
        var before = stat()
        #expect(lstat(named, &before) == 0)
        let posted = Pipeline(Self.line + "\(property)=\(named)").play()
        #expect(posted.count == 1)
        #expect(posted.first?.hasPrefix("error: The \(property) \"\(named)\" cannot be ") == true)
        let reason = trap == .hardLink ? "It has other names (hard links)." : "It is not a regular file."
        #expect(posted.first?.hasSuffix(": \(reason)") == true)
        var after = stat()
        #expect(lstat(named, &after) == 0 && after.st_ino == before.st_ino)
        #expect(try String(contentsOf: kept, encoding: .utf8) == "kept")
    }

    /// Other users may create files in the folder, so the name of the monitor's temporary file must not be predictable.
    @Test(arguments: [true, false]) func draftOfAnotherIsNotWritten(isPipe: Bool) throws {
        let folder = Setup.newFolder()
        let (file, kept) = (folder.appending(path: "m.prom"), folder.appending(path: "kept"))
        try Data("kept".utf8).write(to: kept)
        let draft = file.path + ".tmp"
        if isPipe {
            #expect(mkfifo(draft, 0o600) == 0)
        } else {
            try FileManager.default.createSymbolicLink(atPath: draft, withDestinationPath: kept.path)
        }
        #expect(Pipeline(Self.line + "metrics-file=\(file.path)").play() == ["eos"])
        #expect(try String(contentsOf: kept, encoding: .utf8) == "kept")
        #expect(try String(contentsOf: file, encoding: .utf8).contains("gst_frames_in_total{"))
    }

    @Test func newFilesFollowTheMaskOfTheProcess() throws {
        let folder = Setup.newFolder()
        let files = ["log-file", "metrics-file", "trace-file"].map { (name: $0, path: folder.appending(path: $0).path) }
        let outputs = files.map { "\($0.name)=\($0.path)" }.joined(separator: " ")
        let run = try ProgramRun("sh", ["-c", "umask 027; exec gst-launch-1.0 \(Self.line)\(outputs)"])
        #expect(run.status == 0, "\(run.output)")
        for (_, path) in files {
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640, "\(path)")
        }
    }

    @Test(arguments: ["log-file", "metrics-file", "trace-file"])
    func pathThatCannotBeWrittenIsOneError(property: String) {
        let posted = Pipeline(Self.line + "\(property)=/nonexistent/file").play()
        #expect(posted.count == 1)
        #expect(posted.first?.hasPrefix("error: The \(property) \"/nonexistent/file\" cannot be ") == true)
    }

    /// `ulimit -f 0` prevents the process from enlarging files, as a full disk does.
    @Test func fullDiskIsOneWarningAndTheStreamContinues() throws {
        let log = Setup.newFolder().appending(path: "log").path
        let line = Self.line.replacing("=40", with: "=80").replacing("report=none", with: "report=end")
        let script = "trap '' XFSZ; ulimit -f 0; exec gst-launch-1.0 \(line) log-file=\(log) log-interval=1000000000"
        let run = try ProgramRun("sh", ["-c", script])
        #expect(run.status == 0)
        let warning = "The log-file \"\(log)\" cannot be written"
        #expect(run.output.ranges(of: warning).count == 1, "\(run.output)")
        #expect(run.output.contains(#/(?m)^s +80 /#), "\(run.output)")
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
