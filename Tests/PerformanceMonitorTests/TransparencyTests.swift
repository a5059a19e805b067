import CGStreamer
import Foundation
import GstTestSupport
import Testing

/// Tests that a monitor changes no frame, EOS, error or warning of its pipeline.
struct TransparencyTests {
    static let lines = [
        "videotestsrc num-buffers=40 ! x264enc ! fakesink name=s sync=false",
        "videotestsrc num-buffers=40 ! x264enc tune=zerolatency ! h264parse ! mp4mux ! fakesink name=s",
        "videotestsrc num-buffers=40 ! vp8enc deadline=1 ! matroskamux ! fakesink name=s",
        "videotestsrc num-buffers=40 ! x264enc tune=zerolatency ! h264parse ! rtph264pay ! rtph264depay ! fakesink name=s",
        "videotestsrc num-buffers=20 ! fakesink name=s sync=true",
        "videotestsrc num-buffers=20 is-live=true ! queue ! fakesink name=s sync=true",
        "audiotestsrc num-buffers=40 ! audioconvert ! vorbisenc ! oggmux ! fakesink name=s",
        "audiotestsrc num-buffers=40 ! avenc_aac ! aacparse ! mpegtsmux ! tsdemux ! aacparse ! fakesink name=s",
        "videotestsrc num-buffers=40 ! tee name=t ! queue ! fakesink name=s t. ! queue ! fakesink",
        "compositor name=c ! fakesink name=s videotestsrc num-buffers=20 ! c. videotestsrc num-buffers=20 ! c.",
        "audiomixer name=c ! fakesink name=s audiotestsrc num-buffers=20 ! c. audiotestsrc num-buffers=20 ! c.",
        "input-selector name=c ! fakesink name=s videotestsrc num-buffers=20 ! c. videotestsrc num-buffers=20 ! c.",
        "concat name=c ! fakesink name=s videotestsrc num-buffers=20 ! c. videotestsrc num-buffers=20 ! c.",
        "funnel name=c ! fakesink name=s videotestsrc num-buffers=20 ! c. videotestsrc num-buffers=20 ! c.",
        "videotestsrc num-buffers=40 ! queue2 ! multiqueue ! fakesink name=s",
        "fakesrc num-buffers=500 sizetype=empty ! identity ! fakesink name=s",
        "videotestsrc num-buffers=40 ! identity error-after=20 ! fakesink name=s",
        "filesrc location=/nonexistent ! fakesink name=s",
        "videotestsrc num-buffers=40 ! thermalcaps ! ntscfilter ! adaptivepool ! backpressurequeue ! fakesink name=s",
    ]

    @Test(arguments: lines) func pipelineRunsAsWithoutMonitor(line: String) throws {
        let elements = line.split(separator: " ").filter { !$0.hasSuffix(".") }.joined(separator: " ")
        try #require(Setup.has(elements))
        let plain = run(line)
        let monitored = run(line + " perfmonitor name=m report=none")
        #expect(plain.frames == monitored.frames)
        // The number of buffers in a pool depends on the scheduling of the threads.
        #expect(
            plain.posted.filter { !$0.contains("pool-resized") }
                == monitored.posted.filter { !$0.contains("pool-resized") })
        #expect(plain.posted.last == "eos" || plain.posted.last?.hasPrefix("error") == true)
    }

    @Test func fileInPullModeIsReadAsWithoutMonitor() throws {
        let file = Setup.newFolder().appending(path: "a.mkv").path
        let written = Pipeline(
            "videotestsrc num-buffers=60 ! vp8enc deadline=1 ! matroskamux ! filesink location=\(file) perfmonitor report=none"
        )
        #expect(written.play() == ["eos"])
        written.end()
        for reader in ["matroskademux", "decodebin"] {
            let line = "filesrc location=\(file) ! \(reader) ! fakesink name=s"
            let monitored = run(line + " perfmonitor name=m report=none")
            #expect(run(line) == monitored)
            #expect(monitored == Run(frames: 60, posted: ["eos"]))
        }
    }

    @Test func seeksLoseNoFrame() {
        // The queue takes up to 31 frames after each seek, and `videotestsrc` counts them for `num-buffers`.
        let line = "videotestsrc num-buffers=1000 ! queue ! fakesink name=s perfmonitor name=m report=none"
        let pipeline = Pipeline(line)
        let sink = PadRecorder(pipeline)
        #expect(pipeline.go(GST_STATE_PAUSED))
        for target in 0..<20 {
            let flags = GstSeekFlags(rawValue: GST_SEEK_FLAG_FLUSH.rawValue | GST_SEEK_FLAG_ACCURATE.rawValue)
            #expect(gst_element_seek_simple(pipeline.raw, GST_FORMAT_TIME, flags, gint64(target) * 1_000_000) != 0)
            #expect(pipeline.go(GST_STATE_PAUSED))
        }
        let before = sink.frames
        #expect(pipeline.play() == ["eos"])
        pipeline.end()
        #expect(pipeline.figure("s", "in") == Double(sink.frames))
        #expect(sink.frames > before)
    }

    struct Run: Equatable {
        var frames: Int
        var posted: [String]
    }

    private func run(_ line: String) -> Run {
        let pipeline = Pipeline(line)
        let sink = PadRecorder(pipeline)
        let posted = pipeline.play()
        pipeline.end()
        return Run(frames: sink.frames, posted: posted)
    }
}
