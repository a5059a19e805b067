import CGStreamer
import Foundation
import GstTestSupport
import Testing

@testable import GStreamer

@Suite(.serialized) struct StateTests {
    private let small = "video/x-raw,format=BGRx,width=64,height=48,framerate=100/1"

    @Test func playsThroughFlushesStateChangesAndNewCaps() {
        let pipeline = Pipeline(
            "videotestsrc name=v ! capsfilter name=c caps=\(small) ! adaptivepool name=p max-buffers=4 ! queue ! "
                + "fakesink name=s sync=true enable-last-sample=true")
        let sink = PadRecorder(pipeline)
        pipeline.go(GST_STATE_PLAYING)
        var posted: [String] = []
        for round in 0..<50 {
            let caps = "video/x-raw,format=BGRx,width=\(64 + (round % 7) * 16),height=48,framerate=100/1"
            pipeline.setCaps(caps, of: "c", atNextBufferOf: "v")
            if round % 3 == 0 {
                gst_element_seek_simple(pipeline.raw, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0)
            }
            if round % 10 == 0 {
                pipeline.go(GST_STATE_READY)
                pipeline.go(GST_STATE_PLAYING)
            }
            posted += pipeline.listen(seconds: 0.01)
        }
        // The stream must continue with the last caps.
        let before = sink.frames
        #expect(eventually { sink.last == "64x48@100/1" && sink.frames > before + 10 })
        posted += pipeline.listen(seconds: 0)
        #expect(!posted.contains { $0.hasPrefix("error") || $0 == "eos" }, "\(posted)")
        #expect(sink.wrongFrames == 0)
        #expect(pipeline.go(GST_STATE_NULL))
    }

    /// One in ten rounds waits for the end of each state change; in the other rounds the next change follows at once.
    @Test func twoThousandStateChangesLeakNoThreadAndNoFile() {
        let pipeline = Pipeline(
            "videotestsrc ! \(small) ! adaptivepool memory=memfd max-buffers=4 window=10000000 ! queue ! fakesink")
        for round in 0..<500 {
            for state in [GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL] {
                if round % 10 == 0 { pipeline.go(state) } else { gst_element_set_state(pipeline.raw, state) }
            }
        }
        func names(in folder: String) -> [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        }
        // Other tests that run at the same time may have threads and files with these names for a short time.
        func left() -> (threads: Int, files: Int) {
            let tasks = names(in: "/proc/self/task").filter { task in
                (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == "adaptivepool\n"
            }
            let files = names(in: "/proc/self/fd").filter { file in
                let target = g_file_read_link("/proc/self/fd/\(file)", nil)
                defer { g_free(target) }
                return target.map { String(cString: $0).hasPrefix("/memfd:gst-adaptive-pool") } ?? false
            }
            return (tasks.count, files.count)
        }
        #expect(eventually(within: .seconds(60)) { left() == (0, 0) }, "\(left())")
    }

    /// Tests that a pool is freed when its last buffer is released, and not before.
    @Test func fiftyNewCapsWithBuffersHeldLeakNoPool() throws {
        let pipeline = Pipeline(
            "videotestsrc ! capsfilter name=c caps=\(small) ! adaptivepool name=p ! fakesink name=s")
        let watch = PoolWatch(pipeline)
        _ = pipeline.play(seconds: 0.1)
        for round in 1...50 {
            let caps = "video/x-raw,format=BGRx,width=\(64 + (round * 4)),height=48,framerate=100/1"
            pipeline.set("caps", to: caps, of: "c")
            #expect(eventually { watch.count > round })
        }
        pipeline.go(GST_STATE_NULL)
        #expect(watch.count >= 51)
        #expect(watch.alive == watch.count)
        watch.releaseAll()
        #expect(watch.alive == 0)
    }

    /// The test releases no buffer, so only the stop can wake the acquire.
    @Test func aStopWakesACopyThatWaits() {
        for state in [GST_STATE_READY, GST_STATE_NULL] {
            let pipeline = Pipeline(
                "videotestsrc ! \(small) ! tee ! adaptivepool force=true max-buffers=3 name=p ! "
                    + "fakesink name=s async=false")
            let hoarder = PadRecorder(pipeline, keepsBuffers: true)
            _ = pipeline.play(seconds: 0.2)
            #expect(pipeline.statistic("stalls") >= 1)
            #expect(pipeline.go(state))
            #expect(hoarder.buffers.count == 3)
        }
    }
}

extension Pipeline {
    /// Sets the caps of a capsfilter on the thread of the source.
    ///
    /// A `videotestsrc` fails if the caps change while it negotiates.
    fileprivate func setCaps(_ caps: String, of filter: String, atNextBufferOf source: String) {
        guard let source = gst_bin_get_by_name(bin, source), let filter = gst_bin_get_by_name(bin, filter) else {
            return
        }
        defer { gst_object_unref(source) }
        guard let pad = gst_element_get_static_pad(source, "src") else { return gst_object_unref(filter) }
        defer { gst_object_unref(pad) }
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_BUFFER,
            { _, _, data in
                Unmanaged<CapsChange>.fromOpaque(data!).takeUnretainedValue().apply()
                return GST_PAD_PROBE_REMOVE
            }, Unmanaged.passRetained(CapsChange(filter: filter, caps: caps)).toOpaque(),
            { Unmanaged<CapsChange>.fromOpaque($0!).release() })
    }
}

private final class CapsChange {
    private let filter: UnsafeMutablePointer<GstElement>
    private let caps: String

    /// Takes ownership of `filter`.
    init(filter: UnsafeMutablePointer<GstElement>, caps: String) { (self.filter, self.caps) = (filter, caps) }

    deinit { gst_object_unref(filter) }

    func apply() {
        gst_util_set_object_arg(UnsafeMutableRawPointer(filter).assumingMemoryBound(to: GObject.self), "caps", caps)
    }
}
