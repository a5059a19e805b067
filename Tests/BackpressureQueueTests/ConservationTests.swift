import TestSupport
import CGStreamer
import GstTestSupport
import Synchronization
import Testing

/// Tests that `in` = `out` + `dropped` + `queued` during random settings, events, state changes and flow returns.
@Suite struct ConservationTests {
    private let leaks = ["no", "upstream", "downstream", "auto"]
    private let caps = [
        "video/x-raw,format=GRAY8,width=2,height=2,framerate=30/1", "video/x-h264,stream-format=byte-stream",
        "audio/x-raw,format=S16LE,rate=8000,channels=1", "foo/x-bar",
    ]

    @Test(arguments: 0..<12)
    func everyFrameIsAccountedFor(seed: Int) {
        var random = Random(seed: UInt64(seed))
        let rig = QueueRig(
            [
                ("in-flight-timeout", "2000000"), ("max-in-flight", "3"),
            ])
        rig.link()
        // `play` waits for the signal `underrun`, which a silent element does not emit.
        rig.play()
        rig.set("silent", seed.isMultiple(of: 2) ? "true" : "false")
        rig.begin(caps: caps[0], format: GST_FORMAT_TIME)
        let isDone = Atomic<Bool>(false)
        let releaser = TestThread {
            while !isDone.load(ordering: .relaxed) {
                rig.releaseOne()
                simulateWork(for: .microseconds(50))
            }
        }
        let checker = TestThread {
            while !isDone.load(ordering: .relaxed) {
                if !rig.isConserved { Issue.record("in differs from out + dropped + queued while the stream plays") }
                simulateWork(for: .microseconds(200))
            }
        }
        for step in 0..<600 { act(on: rig, &random, step) }
        isDone.store(true, ordering: .relaxed)
        releaser.join()
        checker.join()
        #expect(rig.isConserved)
        rig.go(GST_STATE_NULL)
        #expect(rig.isConserved)
        #expect(rig.number("current-level-buffers") == 0)
        #expect(rig.number("in-flight") == 0)
    }

    private func act(on rig: QueueRig, _ random: inout Random, _ step: Int) {
        switch random.below(60) {
        case 0:
            gst_pad_push_event(rig.source, gst_event_new_flush_start())
            gst_pad_push_event(rig.source, gst_event_new_flush_stop(1))
            rig.begin(format: GST_FORMAT_TIME)
        case 1: rig.caps(caps[random.below(caps.count)])
        case 2: rig.set("leaky", leaks[random.below(4)])
        case 3: rig.set("max-in-flight", "\(random.below( 5))")
        case 4: rig.set("max-size-buffers", "\(random.below( 5))")
        case 5: rig.set("enabled", random.below(3) > 0 ? "true" : "false")
        case 6: rig.set("max-latency", random.below(2) > 0 ? "0" : "100000")
        case 7:
            rig.record.sinkFlow.store(
                [GST_FLOW_ERROR, GST_FLOW_EOS, GST_FLOW_OK][random.below(3)].rawValue, ordering: .relaxed)
        case 8:
            rig.record.sinkFlow.store(GST_FLOW_OK.rawValue, ordering: .relaxed)
            rig.go(random.below(2) > 0 ? GST_STATE_READY : GST_STATE_NULL)
            rig.go(GST_STATE_PLAYING)
            rig.begin(caps: caps[0], format: GST_FORMAT_TIME)
        case 9:
            gst_pad_push_event(rig.source, gst_event_new_eos())
            gst_pad_push_event(rig.source, gst_event_new_flush_start())
            gst_pad_push_event(rig.source, gst_event_new_flush_stop(1))
            rig.begin(format: GST_FORMAT_TIME)
        case 10:
            let query = gst_query_new_drain()
            gst_pad_peer_query(rig.source, query)
            gst_query_unref(query)
        case 11...20: rig.push(list: (0..<(1 + random.below(4))).map { _ in frame(&random, step) })
        default: rig.push(frame(&random, step))
        }
    }

    private func frame(_ random: inout Random, _ step: Int) -> RawBuffer {
        let flags = [0, GST_BUFFER_FLAG_DELTA_UNIT.rawValue, GST_BUFFER_FLAG_HEADER.rawValue]
        let flag = flags[max(0, random.below(12) - 9)]
        return QueueRig.buffer(pts: UInt64(step) * 1_000_000, flags: GstBufferFlags(rawValue: flag))
    }
}
