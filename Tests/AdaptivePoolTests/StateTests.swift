import CGStreamer
import Foundation
import StageSupport
import Testing

@testable import GStreamer

@Suite(.serialized) struct StateTests {
    private let small = "video/x-raw,format=BGRx,width=64,height=48,framerate=100/1"

    @Test func playsThroughFlushesStateChangesAndNewCaps() {
        let stage = Stage(
            "videotestsrc ! capsfilter name=c caps=\(small) ! adaptivepool name=p max-buffers=4 ! queue ! "
                + "fakesink name=s sync=true enable-last-sample=true")
        let filter = gst_bin_get_by_name(
            UnsafeMutableRawPointer(stage.pipeline).assumingMemoryBound(to: GstBin.self), "c")!
        defer { gst_object_unref(filter) }
        let object = UnsafeMutableRawPointer(filter).assumingMemoryBound(to: GObject.self)
        stage.go(GST_STATE_PLAYING)
        for round in 0..<50 {
            gst_util_set_object_arg(
                object, "caps", "video/x-raw,format=BGRx,width=\(64 + (round % 7) * 16),height=48,framerate=100/1")
            if round % 3 == 0 {
                gst_element_seek_simple(stage.pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0)
            }
            if round % 10 == 0 {
                stage.go(GST_STATE_READY)
                stage.go(GST_STATE_PLAYING)
            }
            g_usleep(10_000)
        }
        stage.go(GST_STATE_NULL)
    }

    /// One round in ten awaits each state change; in the others the next change follows at once.
    @Test func twoThousandStateChangesLeakNoThreadAndNoFile() {
        let stage = Stage(
            "videotestsrc ! \(small) ! adaptivepool memory=memfd max-buffers=4 window=10000000 ! queue ! fakesink")
        for round in 0..<500 {
            for state in [GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL] {
                if round % 10 == 0 { stage.go(state) } else { gst_element_set_state(stage.pipeline, state) }
            }
        }
        func names(in folder: String) -> [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        }
        // Other tests that run at the same time have such threads and files, but not for ever.
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
        for _ in 0..<600 where left() != (0, 0) { g_usleep(100_000) }
        #expect(left() == (0, 0))
    }

    /// A pool is freed with the release of its last buffer, and not before.
    @Test func fiftyNewCapsWithBuffersHeldLeakNoPool() throws {
        let stage = Stage("videotestsrc ! capsfilter name=c caps=\(small) ! adaptivepool name=p ! fakesink name=s")
        let filter = gst_bin_get_by_name(
            UnsafeMutableRawPointer(stage.pipeline).assumingMemoryBound(to: GstBin.self), "c")!
        defer { gst_object_unref(filter) }
        let object = UnsafeMutableRawPointer(filter).assumingMemoryBound(to: GObject.self)
        let watch = PoolWatch(stage)
        _ = stage.play(seconds: 0.1)
        for round in 1...50 {
            gst_util_set_object_arg(
                object, "caps", "video/x-raw,format=BGRx,width=\(64 + (round * 4)),height=48,framerate=100/1")
            for _ in 0..<5000 where watch.count <= round { g_usleep(1000) }
        }
        stage.go(GST_STATE_NULL)
        #expect(watch.count >= 51)
        #expect(watch.alive == watch.count)
        watch.giveBack()
        #expect(watch.alive == 0)
    }

    /// No buffer is released here, so only the stop can wake the acquire.
    @Test func aStopWakesACopyThatWaits() {
        for state in [GST_STATE_READY, GST_STATE_NULL] {
            let stage = Stage(
                "videotestsrc ! \(small) ! tee ! adaptivepool force=true max-buffers=3 name=p ! "
                    + "fakesink name=s async=false")
            let hoard = Hoard(stage)
            _ = stage.play(seconds: 0.2)
            #expect(stage.statistic("stalls") >= 1)
            stage.go(state)
            withExtendedLifetime(hoard) {}
        }
    }
}
