import GstTestSupport
import SendspinSupport
import Testing

/// Tests both plugin files in one process, each with its own Swift runtime.
@Suite struct BothPluginsTests {
    @Test func elementsOfBothPlayInOneProcess() throws {
        let server = try FakeServer()
        server.play(.pcm(), lead: .milliseconds(1_500))
        let folder = Setup.newFolder().path
        let line = """
            videotestsrc num-buffers=5 ! ntscfilter ! backpressurequeue ! fakesink \
            sendspinsrc uri=\(server.uri) storage-folder=\(folder) eos-on-stream-end=true ! decodebin ! sendspinsync ! fakesink
            """
        let ending = TestThread {
            _ = server.wait { ($0.last?.chunkCount ?? 0) > 100 }
            server.end()
        }
        let run = try ProgramRun(
            "gst-launch-1.0", ["-q"] + line.split(separator: " ").map(String.init), ["G_DEBUG": "fatal-criticals"])
        ending.join()
        #expect(run.status == 0, "\(run.output)")
        #expect(server.report.goodbye == .shutdown)
        #expect(server.violations == [])
    }

    @Test func pluginsDescribeTheirElements() throws {
        let run = try ProgramRun("gst-inspect-1.0", ["sendspin"], ["G_DEBUG": "fatal-criticals"])
        for name in ["sendspinsrc", "sendspinsync", "sendspinplay", "sendspindeviceprovider"] {
            #expect(run.output.contains("  \(name): "))
        }
        for element in ["ntscfilter", "sendspinsrc", "sendspinsync", "sendspinplay"] {
            let run = try ProgramRun("gst-inspect-1.0", [element], ["G_DEBUG": "fatal-criticals"])
            #expect(run.status == 0, "\(run.output)")
        }
    }
}
