import CGStreamer
import GstTestSupport
import Synchronization
import Testing

/// Runs GStreamer's tests of `queue` with `backpressurequeue`, under their original names.
@Suite struct CoreQueueTests {
    let second: UInt64 = 1_000_000_000

    private func small(_ buffers: Int, _ leaky: String = "no") -> [(String, String)] {
        QueueRig.plain + [("max-size-buffers", "\(buffers)"), ("leaky", leaky)]
    }

    @Test func nonLeakyUnderrun() {
        let rig = QueueRig(small(2))
        rig.link()
        rig.play()
        #expect(rig.signals.underruns.load(ordering: .relaxed) == 1)
        #expect(rig.signals.overruns.load(ordering: .relaxed) == 0)
    }

    @Test func nonLeakyOverrun() {
        let rig = QueueRig(small(2))
        rig.flowOnOverrun()
        rig.block()
        rig.play()
        rig.begin()
        let buffers = (0..<3).map { _ in QueueRig.buffer() }
        rig.push(buffers[0])
        rig.push(buffers[1])
        #expect(rig.signals.overruns.load(ordering: .relaxed) == 0)
        #expect(rig.signals.underruns.load(ordering: .relaxed) == 1)
        rig.push(buffers[2])
        #expect(eventually { rig.buffers.count == 3 })
        #expect(rig.signals.overruns.load(ordering: .relaxed) == 1)
        #expect(eventually { rig.signals.underruns.load(ordering: .relaxed) >= 2 })
        #expect(rig.buffers == buffers)
    }

    @Test(arguments: [("upstream", [0, 1]), ("downstream", [1, 2])])
    func leaky(side: String, survivors: [Int]) {
        let rig = QueueRig(small(2, side))
        rig.block()
        rig.play()
        rig.begin()
        let buffers = (0..<3).map { _ in QueueRig.buffer() }
        let lost = buffers[3 - survivors.reduce(0, +)]
        gst_buffer_ref(lost)
        for buffer in buffers { rig.push(buffer) }
        #expect(rig.signals.overruns.load(ordering: .relaxed) == 1)
        #expect(rig.signals.underruns.load(ordering: .relaxed) == 1)
        #expect(lost.pointee.mini_object.refcount == 1)
        rig.link()
        rig.unblock()
        #expect(eventually { rig.signals.underruns.load(ordering: .relaxed) == 2 })
        #expect(rig.buffers == survivors.map { buffers[$0] })
        #expect(
            rig.order.filter { $0.hasPrefix("buffer") }
                == (side == "upstream" ? ["buffer", "buffer"] : ["buffer!", "buffer"]))
        gst_buffer_unref(lost)
    }

    @Test func timeLevel() {
        let rig = QueueRig(small(6) + [("max-size-time", "\(7 * second)")])
        rig.flowOnOverrun()
        rig.block()
        rig.play()
        rig.begin()
        let table: [(pts: UInt64, duration: UInt64?, level: UInt64)] = [
            (1, nil, 0), (2, nil, 1), (3, 1, 3), (5, 1, 5), (5, 1, 5), (7, nil, 6),
        ]
        for (pts, duration, level) in table {
            rig.push(QueueRig.buffer(pts: pts * second, duration: duration.map { $0 * second }))
            #expect(rig.number("current-level-time") == level * second)
        }
        #expect(rig.signals.overruns.load(ordering: .relaxed) == 0)
        rig.push(QueueRig.buffer(pts: 8 * second))
        #expect(rig.signals.overruns.load(ordering: .relaxed) == 1)
    }

    @Test func timeLevelBufferList() {
        let rig = QueueRig(small(11) + [("max-size-time", "\(7 * second)")])
        rig.flowOnOverrun()
        rig.block()
        rig.play()
        rig.begin()
        func expect(_ time: UInt64, _ buffers: UInt64) {
            #expect(rig.number("current-level-time") == time * 1_000_000)
            #expect(rig.number("current-level-buffers") == buffers)
        }
        func buffer(_ pts: UInt64, _ duration: UInt64? = nil) -> RawBuffer {
            QueueRig.buffer(pts: pts * 1_000_000, duration: duration.map { $0 * 1_000_000 })
        }
        rig.push(buffer(1000))
        expect(0, 1)
        rig.push(list: [buffer(1500), buffer(2000)])
        expect(1000, 3)
        rig.push(list: [buffer(3000, 500), buffer(3500, 500)])
        expect(3000, 5)
        rig.push(list: [buffer(5000, 1000)])
        expect(5000, 6)
        rig.push(list: [buffer(5000, 250), buffer(5250, 250), buffer(5500, 250), buffer(5750, 250)])
        expect(5000, 10)
        rig.push(buffer(7000))
        expect(6000, 11)
        rig.push(list: [buffer(8000)])
        #expect(rig.signals.overruns.load(ordering: .relaxed) == 1)
    }

    @Test func timeLevelTaskNotStarted() {
        let rig = QueueRig()
        rig.block()
        rig.play()
        gst_pad_push_event(rig.source, gst_event_new_stream_start("test"))
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        segment.start = guint64(second)
        segment.stop = guint64(5 * second)
        segment.position = guint64(second)
        gst_pad_push_event(rig.source, gst_event_new_segment(&segment))
        #expect(rig.number("current-level-time") == 0)
        segment.base = guint64(4 * second)
        gst_pad_push_event(rig.source, gst_event_new_segment(&segment))
        #expect(rig.number("current-level-time") == 0)
        rig.unblock()
    }

    @Test func timeLevelBeforeOutput() {
        let rig = QueueRig(
            QueueRig.plain + [("max-size-time", "\(5 * second)"), ("leaky", "downstream")])
        rig.block()
        rig.play()
        rig.begin()
        rig.push(QueueRig.buffer(pts: 25 * second, duration: second))
        #expect(rig.number("current-level-time") == second)
        rig.push()
        #expect(rig.number("current-level-time") == second)
        #expect(rig.signals.overruns.load(ordering: .relaxed) == 0)
    }

    @Test func stickyNotLinked() {
        let rig = QueueRig(small(1))
        rig.play()
        rig.begin(format: GST_FORMAT_TIME)
        #expect(eventually { rig.push() == GST_FLOW_NOT_LINKED })
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        #expect(gst_pad_push_event(rig.source, gst_event_new_segment(&segment)) == 1)
        #expect(rig.push() == GST_FLOW_NOT_LINKED)
        // RECONFIGURE restarts the queue after the pad is linked.
        rig.link()
        #expect(eventually { rig.push() == GST_FLOW_OK })
        #expect(eventually { !rig.buffers.isEmpty })
    }

    @Test func initialEventsNodelay() {
        let rig = QueueRig()
        rig.link()
        rig.go(GST_STATE_PLAYING)
        rig.begin(caps: "foo/x-bar", format: GST_FORMAT_TIME)
        #expect(eventually { rig.order == ["stream-start", "caps", "segment"] })
    }

    @Test func serializedQueryIsAnsweredBehindAFrame() {
        let rig = QueueRig()
        rig.link()
        rig.go(GST_STATE_PLAYING)
        rig.begin()
        rig.push()
        let query = gst_query_new_drain()!
        gst_pad_peer_query(rig.source, query)
        gst_query_unref(query)
        #expect(rig.order == ["stream-start", "segment", "buffer"])
    }

    /// Only frames are dropped; segments keep their position among the frames.
    @Test func newsegment() {
        let rig = QueueRig(small(1, "downstream"))
        rig.block()
        rig.play()
        rig.begin(format: GST_FORMAT_TIME)
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        segment.base = guint64(second)
        gst_pad_push_event(rig.source, gst_event_new_segment(&segment))
        rig.push()
        rig.push()
        rig.link()
        rig.unblock()
        #expect(eventually { rig.order.contains("buffer!") })
        #expect(rig.order.filter { $0 != "stream-start" } == ["segment", "segment", "buffer!"])
    }
}
