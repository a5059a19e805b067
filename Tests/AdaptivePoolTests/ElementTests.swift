import CGStreamer
import Glibc
import TestSupport
import GstTestSupport
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
    func offersItsPoolToUpstream(line: String) {
        let pipeline = Pipeline(line)
        #expect(pipeline.play().filter { !$0.hasPrefix("element") } == ["eos"])
        #expect(pipeline.statistic("acquires") >= 29)
    }

    @Test(arguments: [
        ("videotestsrc num-buffers=5 ! tee ! adaptivepool name=p ! fakesink", "its ALLOCATION query requests no pool"),
        (
            "videotestsrc num-buffers=5 ! identity drop-allocation=true ! adaptivepool name=p ! fakesink",
            "it sent no ALLOCATION query"
        ),
    ])
    func warnsOnceWhenUpstreamDoesNotUseThePool(line: String, reason: String) {
        let expected = "warning: The element upstream does not use the adaptive pool: \(reason)."
        #expect(Pipeline(line).play() == [expected, "eos"])
    }

    @Test(arguments: [
        ("audiotestsrc num-buffers=5", "audio/x-raw"), ("videotestsrc num-buffers=5 ! jpegenc", "image/jpeg"),
        ("fakesrc num-buffers=5", "no caps"),
    ])
    func warnsOnceWhenTheStreamIsNotRawVideo(line: String, name: String) {
        let expected =
            "warning: The adaptive pool has no effect here: it serves raw video in system memory, and the caps are \(name)."
        #expect(Pipeline("\(line) ! adaptivepool name=p ! fakesink").play() == [expected, "eos"])
    }

    @Test func forceCopiesForeignFrames() {
        let pipeline = Pipeline(
            "videotestsrc num-buffers=30 ! \(small) ! tee ! adaptivepool force=true name=p ! fakesink")
        #expect(pipeline.play().last == "eos")
        #expect(pipeline.statistic("acquires") == 30)
    }

    /// Tests that copies have the same pixels and timestamps as their originals, although the strides differ.
    @Test func copiesEqualTheirOriginals() {
        let taps = ["identity", "adaptivepool force=true"].map { middle in
            Tap(
                "videotestsrc num-buffers=4 ! video/x-raw,format=I420,width=104,height=52 ! tee ! \(middle) ! fakesink name=s signal-handoffs=true"
            )
        }
        #expect(taps[0].recorded.count == 4 && taps[0].recorded == taps[1].recorded)
    }

    @Test func disabledOffersTheStockPool() {
        let pipeline = Pipeline("videotestsrc num-buffers=5 ! \(small) ! adaptivepool enabled=false name=p ! fakesink")
        #expect(pipeline.play() == ["eos"])
        #expect(pipeline.get("current-buffers") == "0")
    }

    /// The sink holds each frame for 80 ms, the duration of eight frames.
    @Test func growsWithTheLoadAndPostsAMessage() {
        let pipeline = Pipeline(
            "videotestsrc is-live=true ! \(small) ! adaptivepool name=p window=50000000 "
                + "resize-interval=50000000 ! queue ! fakesink sync=true ts-offset=80000000")
        let clock = TestClock(pipeline)
        var posted = pipeline.play(seconds: 0)
        func isResized() -> Bool {
            posted.contains { $0.hasPrefix("element: adaptive-pool-resized, old=(uint)") && $0.contains("reason=") }
        }
        // The pool measures its windows with the monotonic clock, not with the test clock.
        #expect(
            eventually {
                clock.crank(waiters: 2)
                posted += pipeline.listen(seconds: 0)
                return isResized() && Int(pipeline.get("peak-outstanding"))! >= 8
            }, "\(posted)")
    }

    @Test func warningNamesTheHolderOfTheOldestBuffer() {
        let pipeline = Pipeline(
            "videotestsrc ! \(small) ! adaptivepool name=p max-buffers=6 window=20000000 ! queue name=hoarder ! "
                + "identity name=slow sleep-time=300000 ! fakesink async=false enable-last-sample=false")
        var heard = pipeline.play(seconds: 0.1)
        let isHeard = eventually {
            heard += pipeline.listen(seconds: 0.1)
            return heard.contains {
                $0.hasPrefix("warning: All 6 buffers that max-buffers allows are in use; ")
                    && $0.contains("slow holds the oldest")
            }
        }
        #expect(isHeard, "\(heard)")
    }

    /// Each buffer passes the fast branch and the sink while it waits in the slow branch.
    @Test func warningNamesASlowBranchThatIsJoined() {
        let pipeline = Pipeline(
            "videotestsrc ! \(small) ! adaptivepool name=p max-buffers=6 window=20000000 ! tee name=t "
                + "t. ! queue ! identity name=slow sleep-time=300000 ! funnel name=joined "
                + "! fakesink async=false enable-last-sample=false t. ! queue ! joined.")
        var heard = pipeline.play(seconds: 0.1)
        let isHeard = eventually {
            heard += pipeline.listen(seconds: 0.1)
            return heard.contains { $0.hasPrefix("warning: All 6 buffers") && $0.contains("slow") }
        }
        #expect(isHeard, "\(heard)")
    }

    /// The holder is not a queue, because a queue that pushes its segment before its first frame seems to hold none.
    @Test func warningNamesTheProbableHolderWhenNothingMoves() {
        let pipeline = Pipeline(
            "videotestsrc ! \(small) ! adaptivepool name=p max-buffers=3 window=20000000 ! identity ! "
                + "appsink name=hoarder sync=false async=false")
        var heard = pipeline.play(seconds: 0.1)
        let isHeard = eventually {
            heard += pipeline.listen(seconds: 0.1)
            return heard.contains {
                $0.hasPrefix("warning: ") && $0.contains("; hoarder probably holds the oldest")
            }
        }
        #expect(isHeard, "\(heard)")
    }

    @Test func dropsFramesWithoutWaiting() {
        let pipeline = Pipeline(
            "videotestsrc num-buffers=200 is-live=true ! \(small) ! adaptivepool name=p max-buffers=4 on-empty=drop ! "
                + "queue ! identity sleep-time=50000 ! fakesink sync=false")
        #expect(pipeline.play().last == "eos")
        #expect(pipeline.statistic("dropped") > 20)
        #expect(pipeline.statistic("stall-time") == 0)
    }

    /// The window lasts an hour, so the pool must respond before its end, and has no other reason to shrink.
    ///
    /// Most buffers are idle when the condition begins, because the pool frees a buffer in use only on its release.
    @Test(arguments: [
        ("/proc/pressure/memory", "some avg10=50.00 avg60=0 avg300=0 total=0\n", "memory-pressure"),
        ("/sys/class/thermal/thermal_zone0/temp", "85000\n", "thermal"),
    ])
    func respondsToHeatAndShortMemoryWithinAWindow(file: String, text: String, reason: String) throws {
        let root = try FakeRoot([
            "/proc/pressure/memory": "some avg10=0.00 avg60=0 avg300=0 total=0\n",
            "/sys/class/thermal/thermal_zone0/temp": "45000\n",
            "/sys/class/thermal/thermal_zone0/trip_point_0_type": "passive\n",
            "/sys/class/thermal/thermal_zone0/trip_point_0_temp": "80000\n",
        ])
        let pipeline = Pipeline(
            "videotestsrc is-live=true ! \(small) ! adaptivepool name=p sensor-root=\(root.path) window=3600000000000 "
                + "! queue name=q max-size-buffers=12 min-threshold-buffers=9 ! fakesink")
        var heard = pipeline.play(seconds: 0.1)
        _ = eventually {
            heard += pipeline.listen(seconds: 0.1)
            return Int(pipeline.get("peak-outstanding"))! >= 10
        }
        pipeline.set("min-threshold-buffers", to: "0", of: "q")
        _ = eventually {
            heard += pipeline.listen(seconds: 0.1)
            return Int(pipeline.get("outstanding-buffers"))! <= 3
        }
        root.write(file, text)
        func isPosted() -> Bool { heard.contains { $0.contains("reason=(string)\(reason)") } }
        #expect(!isPosted())
        _ = eventually {
            heard += pipeline.listen(seconds: 0.1)
            return isPosted()
        }
        #expect(isPosted(), "\(heard), \(pipeline.get("current-buffers")) buffers, \(pipeline.get("stats"))")
    }

    @Test func blockedSensorsDoNotBlockTheStream() throws {
        let root = try FakeRoot(
            [:], pipes: ["/proc/pressure/memory", "/proc/self/cgroup", "/sys/class/thermal/thermal_zone0/temp"])
        let pipeline = Pipeline(
            "videotestsrc is-live=true num-buffers=100 ! \(small) ! adaptivepool name=p sensor-root=\(root.path) ! "
                + "fakesink")
        #expect(pipeline.play() == ["eos"])
        #expect(pipeline.statistic("stalls") == 0)
    }

    @Test func preferDecidesWhetherDownstreamMemoryTakesPrecedence() {
        for (prefer, isOwn) in [("auto", false), ("downstream", false), ("own", true)] {
            let socket = "/tmp/gst-swift-pool-\(getpid())-\(prefer)"
            let pipeline = Pipeline(
                "videotestsrc num-buffers=5 ! \(small) ! adaptivepool name=p prefer=\(prefer) ! "
                    + "shmsink socket-path=\(socket) wait-for-connection=false shm-size=1000000")
            let heard = pipeline.play()
            #expect(heard.last == "eos")
            #expect((pipeline.statistic("acquires") > 0) == isOwn)
            // The element does not copy frames from the memory of downstream, because downstream would copy them back.
            let forced = Pipeline(
                "videotestsrc num-buffers=5 ! \(small) ! adaptivepool name=p force=true prefer=\(prefer) ! "
                    + "shmsink socket-path=\(socket)-2 wait-for-connection=false shm-size=1000000")
            #expect(forced.play().last == "eos")
            #expect((forced.statistic("acquires") > 0) == isOwn)
            #expect(
                heard.contains { $0.hasPrefix("info: ") && $0.contains("downstream has its own, of type GstShmSink") }
                    == !isOwn, "\(heard)")
        }
    }

    @Test func waitNeverGrowsWithinAnAcquire() {
        let pipeline = Pipeline(
            "videotestsrc num-buffers=60 is-live=true ! \(small) ! adaptivepool name=p on-empty=wait ! queue ! "
                + "identity sleep-time=20000 ! fakesink")
        #expect(pipeline.play().last == "eos")
        #expect(pipeline.statistic("grown-in-acquire") == 0)
        #expect(pipeline.statistic("stalls") > 0)
    }
}
