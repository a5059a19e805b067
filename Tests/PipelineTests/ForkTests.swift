import Foundation
import Testing

/// Tests processes that fork after `gst_init()`, as Python's `multiprocessing` does, with `Tests/hosts/forks.c`.
@Suite(.serialized) struct ForkTests {
    private static let program = Task { try await Command.host("forks") }
    /// The last argument of the program.
    ///
    /// GLib 2.84 keeps a thread that starts those of all pools. The child of a process that has streamed lacks it, so no
    /// pipeline plays there, not even with elements of GStreamer only. Then the parent must not stream.
    private static let mode = Task {
        let stock = try await Command.run(program.value, ["1", "fakesrc num-buffers=10 ! queue ! fakesink"])
        return stock.succeeded ? [] : ["ready"]
    }

    private func fork(_ children: Int, _ line: String, tracer: String = "") async throws {
        // The Sendspin elements store the identity of a player in a folder of the user.
        let home = Folders.fresh("home").path(percentEncoded: false)
        let run = try await Command.run(
            Self.program.value, ["\(children)", line] + Self.mode.value,
            environment: [
                "GST_PLUGIN_PATH": Folders.package.appending(path: "out/plugin").path(percentEncoded: false),
                "GST_TRACERS": tracer, "HOME": home, "XDG_DATA_HOME": home,
            ])
        #expect(run.succeeded && run.output.hasSuffix(": 0 hung, 0 failed\n"), "\(run.output)")
    }

    @Test func tracedChildrenPlay() async throws {
        let line = "fakesrc num-buffers=10 ! identity ! fakesink"
        try await fork(100, line, tracer: "perfmonitor-tracer(report=none)")
    }

    @Test(arguments: [
        "ntscfilter n-threads=3", "backpressurequeue", "adaptivepool", "thermalcaps", "perfmonitor",
    ])
    func childrenPlayVideo(element: String) async throws {
        let source = "videotestsrc num-buffers=5 ! video/x-raw,width=64,height=48 !"
        let line = element == "perfmonitor" ? "fakesink perfmonitor report=none" : "\(element) ! fakesink"
        try await fork(20, "\(source) \(line)")
    }

    @Test func childrenPlayTheSoundOfATape() async throws {
        try await fork(20, "audiotestsrc num-buffers=5 ! tapeaudio ! fakesink")
    }

    @Test(arguments: [
        "sendspinplay uri=sendspin://127.0.0.1:9 audio-sink=fakesink",
        "sendspinsrc uri=sendspin://127.0.0.1:9 ! fakesink", "audiotestsrc num-buffers=5 ! sendspinsync ! fakesink",
        "audiotestsrc num-buffers=5 ! sendspinsink uri=sendspin://127.0.0.1:9",
    ])
    func childrenPlaySendspin(line: String) async throws { try await fork(20, line) }
}
