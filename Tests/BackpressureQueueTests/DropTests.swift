import CGStreamer
import GstTestSupport
import Testing

@Suite struct DropTests {
    private let encoded = "video/x-h264,stream-format=byte-stream,framerate=30/1"
    private let delta = GST_BUFFER_FLAG_DELTA_UNIT
    private let header = GST_BUFFER_FLAG_HEADER
    private let key = GstBufferFlags(rawValue: 0)

    private func blocked(_ caps: String, _ settings: [(String, String)] = []) -> QueueRig {
        let rig = QueueRig(
            [("max-in-flight", "1"), ("in-flight-timeout", "0"), ("max-size-buffers", "1")] + settings)
        rig.link()
        rig.play()
        rig.begin(caps: caps, format: GST_FORMAT_TIME)
        // One frame stays in flight.
        rig.push(QueueRig.buffer(pts: 1000))
        #expect(eventually { rig.buffers.count == 1 })
        return rig
    }

    private func push(_ rig: QueueRig, _ drawing: String) {
        for (pts, letter) in drawing.enumerated() {
            let flags = letter == "d" ? delta : letter == "H" ? header : key
            rig.push(QueueRig.buffer(pts: UInt64(pts), flags: flags))
        }
    }

    /// Removes the limit of frames in flight and returns the PTS of the remaining frames.
    private func rest(_ rig: QueueRig, _ count: Int) -> [UInt64] {
        rig.set("max-in-flight", "4294967295")
        _ = eventually { rig.buffers.count == count + 1 }
        return rig.buffers.dropFirst().map { UInt64($0.pointee.pts) }
    }

    /// In `drawing`, k is a key unit, d a delta unit, and H a header; the PTS is the index of the letter.
    @Test(arguments: [
        // The first delta unit and all following frames up to the next key unit are dropped.
        ("dddk", [3 as UInt64], 3 as UInt64, 1),
        ("kddddd", [], 6, 1),
        ("kddkdd", [], 6, 1),
        ("kk", [1], 1, 0),
        // Headers are never dropped.
        ("HkdHdk", [0, 3, 5], 3, 1),
    ])
    func dropsUntilNextKeyUnit(drawing: String, out: [UInt64], dropped: UInt64, requests: Int) {
        let rig = blocked(encoded)
        push(rig, drawing)
        #expect(rig.number("dropped") == dropped)
        #expect(rig.keyUnitRequests == requests)
        #expect(rest(rig, out.count) == out)
        #expect(rig.isConserved)
    }

    @Test func rawVideoRequestsNoKeyUnit() {
        let rig = blocked("video/x-raw,format=GRAY8,width=2,height=2,framerate=30/1")
        push(rig, "dddddd")
        #expect(rig.keyUnitRequests == 0)
        #expect(rest(rig, 1) == [5])
    }

    @Test func upstreamLeakKeepsOldestFrame() {
        let rig = blocked("audio/x-raw", [("leaky", "upstream")])
        push(rig, "kkkk")
        #expect(rest(rig, 1) == [0])
        #expect(rig.number("dropped") == 3)
    }

    @Test func dropsFramesOlderThanMaxLatency() {
        let rig = blocked("audio/x-raw", [("max-size-buffers", "4294967295")])
        rig.set("max-latency", "5000000")
        push(rig, "kk")
        // Downstream holds its frame for longer than `max-latency`.
        simulateWork(for: .milliseconds(20))
        rig.set("max-in-flight", "4294967295")
        #expect(eventually { rig.statistic("dropped-late") == 2 })
        rig.set("max-latency", "0")
        push(rig, "k")
        #expect(eventually { rig.order.last == "buffer!" })
        #expect(rig.isConserved)
    }

    @Test func postsDropMessageOncePerInterval() {
        let rig = blocked("audio/x-raw", [("drop-log-interval", "10")])
        push(rig, String(repeating: "k", count: 36))
        let messages = rig.messages()
        #expect(messages.filter { $0.type == "element" }.count == 3)
        #expect(messages.filter { $0.type == "qos" }.count == 1)
        #expect(messages.first { $0.type == "element" }?.text.contains("dropped=(guint64)10") == true)
    }

    @Test func neverDropsEvents() {
        let rig = blocked("audio/x-raw")
        for _ in 0..<5 {
            gst_pad_push_event(rig.source, gst_event_new_gap(0, 1))
            push(rig, "k")
        }
        rig.set("max-in-flight", "4294967295")
        #expect(eventually { rig.order.last == "buffer!" })
        #expect(rig.order.filter { $0 == "gap" }.count == 5)
    }

    @Test func flushKeepsStickyEvents() {
        let rig = blocked("audio/x-raw")
        push(rig, "k")
        rig.caps("foo/x-other")
        gst_pad_push_event(rig.source, gst_event_new_flush_start())
        gst_pad_push_event(rig.source, gst_event_new_flush_stop(1))
        let pad = rig.sourcePad
        defer { gst_object_unref(pad) }
        let caps = gst_pad_get_current_caps(pad)
        defer { gst_caps_unref(caps) }
        #expect(gst_structure_has_name(gst_caps_get_structure(caps, 0), "foo/x-other") == 1)
        #expect(rig.statistic("dropped-flushed") == 1)
        #expect(rig.isConserved)
    }

    @Test func settingLeakyUnblocksUpstream() {
        let rig = blocked("audio/x-raw", [("leaky", "no")])
        rig.push()
        let thread = TestThread { rig.push() }
        #expect(remains { rig.number("in") == 2 })
        rig.set("leaky", "downstream")
        thread.join()
        #expect(rig.number("in") == 3)
        #expect(rig.isConserved)
    }

    @Test func refusesFramesAfterDownstreamReturnsEOS() {
        let rig = blocked("audio/x-raw", [("leaky", "no"), ("max-size-buffers", "9")])
        rig.record.sinkFlow.store(GST_FLOW_EOS.rawValue, ordering: .relaxed)
        push(rig, "kkk")
        rig.set("max-in-flight", "4294967295")
        #expect(eventually { rig.push() == GST_FLOW_EOS })
        #expect(rig.isConserved)
        // After a new segment, the queue accepts frames again.
        rig.record.sinkFlow.store(GST_FLOW_OK.rawValue, ordering: .relaxed)
        rig.begin(format: GST_FORMAT_TIME)
        #expect(rig.push() == GST_FLOW_OK)
    }
}
