import CGStreamer
import Glibc
import Synchronization
import Testing

@testable import GStreamer

@Suite(.serialized) struct ElementTests {
    private let small = "video/x-raw,format=BGRx,width=64,height=48,framerate=100/1"

    @Test(arguments: [
        "videotestsrc num-buffers=30 ! video/x-raw,width=64 ! adaptivepool name=p ! fakesink",
        "videotestsrc num-buffers=30 ! video/x-raw,format=I420 ! videoconvert ! video/x-raw,format=BGRx ! adaptivepool name=p ! fakesink",
        "videotestsrc num-buffers=30 ! jpegenc ! jpegdec ! adaptivepool name=p ! fakesink",
        "videotestsrc num-buffers=30 ! adaptivepool name=p ! queue ! videoconvert ! fakesink",
    ])
    func servesWhatIsInFront(line: String) {
        let stage = Stage(line)
        #expect(stage.play().filter { !$0.hasPrefix("element") } == ["eos"])
        #expect(stage.statistic("acquires") >= 29)
    }

    @Test(arguments: [
        ("videotestsrc num-buffers=5 ! tee ! adaptivepool name=p ! fakesink", "it asked for advice, but wants no pool"),
        ("audiotestsrc num-buffers=5 ! adaptivepool name=p ! fakesink", nil),
        (
            "videotestsrc num-buffers=5 ! identity drop-allocation=true ! adaptivepool name=p ! fakesink",
            "it did not ask for one"
        ),
    ])
    func saysOnceWhyItIsOfNoUse(line: String, reason: String?) {
        let heard = Stage(line).play()
        let expected = reason.map { ["warning: The element upstream does not use the adaptive pool: \($0)."] } ?? []
        #expect(heard == expected + ["eos"])
    }

    @Test func forceCopiesWhatComesFromElsewhere() {
        let stage = Stage("videotestsrc num-buffers=30 ! \(small) ! tee ! adaptivepool force=true name=p ! fakesink")
        #expect(stage.play().last == "eos")
        #expect(stage.statistic("acquires") == 30)
    }

    /// A copy shows the same picture, whatever the strides, and bears the same times.
    @Test func copiesAreEqual() {
        let taps = ["identity", "adaptivepool force=true"].map { middle in
            Tap(
                "videotestsrc num-buffers=4 ! video/x-raw,format=I420,width=104,height=52 ! tee ! \(middle) ! fakesink name=s signal-handoffs=true"
            )
        }
        #expect(taps[0].frames.count == 4 && taps[0].frames == taps[1].frames)
    }

    @Test func disabledOffersTheStockPool() {
        let stage = Stage("videotestsrc num-buffers=5 ! \(small) ! adaptivepool enabled=false name=p ! fakesink")
        #expect(stage.play() == ["eos"])
        #expect(stage.get("current-buffers") == "0")
    }

    @Test func growsWithTheLoadAndTellsIt() {
        let stage = Stage(
            "videotestsrc is-live=true num-buffers=120 ! \(small) ! adaptivepool name=p window=50000000 "
                + "resize-interval=50000000 ! queue ! fakesink sync=true ts-offset=80000000")
        let heard = stage.play()
        #expect(heard.contains { $0.hasPrefix("element: adaptive-pool-resized, old=(uint)") && $0.contains("reason=") })
        #expect(Double(stage.get("peak-outstanding"))! >= 6)
    }

    @Test func namesWhoHoldsTheOldestBufferAtTheLimit() {
        let stage = Stage(
            "videotestsrc ! \(small) ! adaptivepool name=p max-buffers=6 window=20000000 ! queue name=hoarder ! "
                + "identity name=slow sleep-time=300000 ! fakesink async=false enable-last-sample=false")
        let heard = stage.play(seconds: 1)
        #expect(
            heard.contains {
                $0.hasPrefix("warning: All 6 buffers that there may be are in use; ")
                    && $0.contains("slow holds the oldest")
            }, "\(heard)")
    }

    /// Nothing moves, so no probe sees anything.
    @Test func namesWhoProbablyHoldsTheOldestBufferWhenNothingMoves() {
        let stage = Stage(
            "videotestsrc ! \(small) ! adaptivepool name=p max-buffers=3 window=20000000 ! identity ! "
                + "queue name=hoarder min-threshold-buffers=100 ! fakesink async=false")
        let heard = stage.play(seconds: 1.5)
        #expect(
            heard.contains { $0.hasPrefix("warning: ") && $0.contains("; hoarder probably holds the oldest") },
            "\(heard)")
    }

    @Test func dropLetsFramesGoAndNeverWaits() {
        let stage = Stage(
            "videotestsrc num-buffers=200 is-live=true ! \(small) ! adaptivepool name=p max-buffers=4 on-empty=drop ! "
                + "queue ! identity sleep-time=50000 ! fakesink sync=false")
        #expect(stage.play().last == "eos")
        #expect(stage.statistic("dropped") > 20)
        #expect(stage.statistic("stall-time") < 50_000_000)
    }

    /// A window of an hour does not matter.
    @Test(arguments: [
        ("/proc/pressure/memory", "some avg10=50.00 avg60=0 avg300=0 total=0\n", "memory-pressure"),
        ("/sys/class/thermal/thermal_zone0/temp", "85000\n", "thermal"),
    ])
    func reactsToHeatAndShortMemoryAtOnce(file: String, text: String, reason: String) throws {
        let root = try FakeRoot([
            "/proc/pressure/memory": "some avg10=0.00 avg60=0 avg300=0 total=0\n",
            "/sys/class/thermal/thermal_zone0/temp": "45000\n",
            "/sys/class/thermal/thermal_zone0/trip_point_0_type": "passive\n",
            "/sys/class/thermal/thermal_zone0/trip_point_0_temp": "80000\n",
        ])
        let stage = Stage(
            "videotestsrc is-live=true ! \(small) ! adaptivepool name=p sensor-root=\(root.path) window=3600000000000 "
                + "! queue max-size-buffers=12 min-threshold-buffers=9 ! fakesink")
        var heard = stage.play(seconds: 0.1)
        for _ in 0..<200 where Int(stage.get("peak-outstanding"))! < 10 { heard += stage.listen(seconds: 0.1) }
        root.write(file, text)
        func isTold() -> Bool { heard.contains { $0.contains("reason=(string)\(reason)") } }
        #expect(!isTold())
        for _ in 0..<200 where !isTold() { heard += stage.listen(seconds: 0.1) }
        #expect(isTold(), "\(heard)")
    }

    @Test func sensorsThatHangDoNotHurtTheStream() throws {
        let root = try FakeRoot(
            [:], pipes: ["/proc/pressure/memory", "/proc/self/cgroup", "/sys/class/thermal/thermal_zone0/temp"])
        let stage = Stage(
            "videotestsrc is-live=true num-buffers=100 ! \(small) ! adaptivepool name=p sensor-root=\(root.path) ! "
                + "fakesink")
        #expect(stage.play() == ["eos"])
        #expect(stage.statistic("stalls") == 0)
    }

    @Test func respectsDownstreamsOwnMemoryUnlessToldNotTo() {
        for (prefer, isOwn) in [("auto", false), ("downstream", false), ("own", true)] {
            let socket = "/tmp/gst-swift-pool-\(getpid())-\(prefer)"
            let stage = Stage(
                "videotestsrc num-buffers=5 ! \(small) ! adaptivepool name=p prefer=\(prefer) ! "
                    + "shmsink socket-path=\(socket) wait-for-connection=false shm-size=1000000")
            let heard = stage.play()
            #expect(heard.last == "eos")
            #expect((stage.statistic("acquires") > 0) == isOwn)
            // What would be copied out of downstream's memory would have to be copied back.
            let forced = Stage(
                "videotestsrc num-buffers=5 ! \(small) ! adaptivepool name=p force=true prefer=\(prefer) ! "
                    + "shmsink socket-path=\(socket)-2 wait-for-connection=false shm-size=1000000")
            #expect(forced.play().last == "eos")
            #expect((forced.statistic("acquires") > 0) == isOwn)
            #expect(
                heard.contains { $0.hasPrefix("info: ") && $0.contains("downstream has its own, of type GstShmSink") }
                    == !isOwn, "\(heard)")
        }
    }

    @Test func waitNeverGrowsWhileABufferIsAskedFor() {
        let stage = Stage(
            "videotestsrc num-buffers=60 is-live=true ! \(small) ! adaptivepool name=p on-empty=wait ! queue ! "
                + "identity sleep-time=20000 ! fakesink")
        #expect(stage.play().last == "eos")
        #expect(stage.statistic("grown-in-acquire") == 0)
        #expect(stage.statistic("stalls") > 0)
    }

    @Test func survivesFlushesStatesAndNewCaps() {
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

    /// Some changes are awaited, the rest are overtaken by the next.
    @Test func twoThousandStatesLeaveNoThreadAndNoFileBehind() {
        let stage = Stage(
            "videotestsrc ! \(small) ! adaptivepool memory=memfd max-buffers=4 window=10000000 ! queue ! fakesink")
        for round in 0..<500 {
            for state in [GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL] {
                if round % 10 == 0 { stage.go(state) } else { gst_element_set_state(stage.pipeline, state) }
            }
        }
        // Other tests have such threads and files too, but not for ever.
        func left() -> (threads: Int, files: Int) {
            let tasks = SmallFolder.names(in: "/proc/self/task", atMost: 10_000).filter { task in
                (try? SmallFile.read("/proc/self/task/\(task)/comm", atMost: 64)) == Array("adaptivepool\n".utf8)
            }
            let files = SmallFolder.names(in: "/proc/self/fd", atMost: 10_000).filter { file in
                let target = g_file_read_link("/proc/self/fd/\(file)", nil)
                defer { g_free(target) }
                return target.map { String(cString: $0).hasPrefix("/memfd:gst-adaptive-pool") } ?? false
            }
            return (tasks.count, files.count)
        }
        for _ in 0..<600 where left() != (0, 0) { g_usleep(100_000) }
        #expect(left() == (0, 0))
    }

    /// Every pool goes when the last of its buffers has come back, and none before.
    @Test func fiftyNewCapsWithBuffersHeldLeaveNothingBehind() throws {
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

    /// Nobody gives a buffer back here, so only the stop itself can wake the stream.
    @Test func stopsWhileACopyWaitsForABuffer() {
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

/// Keeps every buffer that comes to a pipeline's sink `s`.
private final class Hoard: @unchecked Sendable {  // Filled by one thread, emptied when that has ended.
    private var buffers: [UnsafeMutablePointer<GstBuffer>] = []

    init(_ stage: Stage) {
        let sink = gst_bin_get_by_name(
            UnsafeMutableRawPointer(stage.pipeline).assumingMemoryBound(to: GstBin.self), "s")!
        let pad = gst_element_get_static_pad(sink, "sink")!
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_BUFFER,
            { _, info, data in
                let buffer = gst_pad_probe_info_get_buffer(info)!
                gst_buffer_ref(buffer)
                Unmanaged<Hoard>.fromOpaque(data!).takeUnretainedValue().buffers.append(buffer)
                return GST_PAD_PROBE_OK
            }, Unmanaged.passUnretained(self).toOpaque(), nil)
        gst_object_unref(pad)
        gst_object_unref(sink)
    }

    deinit { for buffer in buffers { gst_buffer_unref(buffer) } }
}

/// Keeps the first buffer of every pool that comes to a pipeline's sink `s`, and watches the pool.
private final class PoolWatch: @unchecked Sendable {  // Guarded by `lock`.
    private let lock = Mutex(())
    private var pools: [(raw: UnsafeMutableRawPointer, reference: UnsafeMutablePointer<GWeakRef>)] = []
    private var buffers: [UnsafeMutablePointer<GstBuffer>] = []

    init(_ stage: Stage) {
        let sink = gst_bin_get_by_name(
            UnsafeMutableRawPointer(stage.pipeline).assumingMemoryBound(to: GstBin.self), "s")!
        let pad = gst_element_get_static_pad(sink, "sink")!
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_BUFFER,
            { _, info, data in
                Unmanaged<PoolWatch>.fromOpaque(data!).takeUnretainedValue().saw(gst_pad_probe_info_get_buffer(info)!)
                return GST_PAD_PROBE_OK
            }, Unmanaged.passUnretained(self).toOpaque(), nil)
        gst_object_unref(pad)
        gst_object_unref(sink)
    }

    private func saw(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        guard let pool = buffer.pointee.pool.map({ UnsafeMutableRawPointer($0) }) else { return }
        lock.withLock { _ in
            guard pools.last?.raw != pool else { return }
            let reference = UnsafeMutablePointer<GWeakRef>.allocate(capacity: 1)
            reference.initialize(to: GWeakRef())
            g_weak_ref_init(reference, pool)
            pools.append((pool, reference))
            gst_buffer_ref(buffer)
            buffers.append(buffer)
        }
    }

    var count: Int { lock.withLock { _ in pools.count } }

    var alive: Int {
        pools.filter { entry in
            guard let pool = g_weak_ref_get(entry.reference) else { return false }
            gst_object_unref(pool)
            return true
        }.count
    }

    func giveBack() {
        for buffer in buffers { gst_buffer_unref(buffer) }
        buffers = []
    }

    deinit {
        giveBack()
        for pool in pools {
            g_weak_ref_clear(pool.reference)
            pool.reference.deallocate()
        }
    }
}

/// Plays a pipeline and keeps what its sink `s` was given.
private final class Tap {
    private(set) var frames: [[UInt8]] = []

    init(_ line: String) {
        let stage = Stage(line)
        let sink = gst_bin_get_by_name(
            UnsafeMutableRawPointer(stage.pipeline).assumingMemoryBound(to: GstBin.self), "s")!
        let pad = gst_element_get_static_pad(sink, "sink")!
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_BUFFER,
            { _, info, data in
                let buffer = gst_pad_probe_info_get_buffer(info)!
                let size = gst_buffer_get_size(buffer)
                var bytes = [UInt8](repeating: 0, count: Int(size))
                gst_buffer_extract(buffer, 0, &bytes, size)
                withUnsafeBytes(of: buffer.pointee.pts) { bytes.append(contentsOf: $0) }
                Unmanaged<Tap>.fromOpaque(data!).takeUnretainedValue().frames.append(bytes)
                return GST_PAD_PROBE_OK
            }, Unmanaged.passUnretained(self).toOpaque(), nil)
        _ = stage.play()
        gst_object_unref(pad)
        gst_object_unref(sink)
    }
}
