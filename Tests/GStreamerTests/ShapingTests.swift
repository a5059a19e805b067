import CGStreamer
import GstTestSupport
import Testing

@testable import GStreamer

/// Tests transforms that change the size of buffers, and the events that such transforms receive.
@Suite struct ShapingTests {
    private let harness: Harness
    private let report: FrameShaper.Shapes

    init() throws {
        try #require(TestElements.areRegistered)
        harness = Harness(TestElement("swifttestshaper"), caps: "application/x-bytes")
        let instance = InstanceSlot.peek(harness.subject.element) as? ElementInstance<FrameShaper>
        report = try #require(instance).element.report
    }

    @Test func ordinaryBufferIsNeitherCopiedNorReplaced() throws {
        for _ in 1...2 {
            let buffer = newBuffer([1, 2, 3], pts: 5)
            #expect(harness.push(buffer) == GST_FLOW_OK)
            let output = try #require(harness.pullRaw())
            defer { gst_buffer_unref(output) }
            #expect(output == buffer)
        }
    }

    @Test func shorterBufferSharesMemoryAndKeepsTimes() throws {
        let buffer = newBuffer(Array("-ab".utf8), pts: 5)
        let memory = gst_buffer_peek_memory(buffer, 0)
        #expect(harness.push(buffer) == GST_FLOW_OK)
        let output = try #require(harness.pullRaw())
        defer { gst_buffer_unref(output) }
        #expect(output.bytes == Array("ab".utf8))
        #expect(output.pointee.pts == 5)
        #expect(gst_buffer_peek_memory(output, 0) == memory)
    }

    @Test func longerBufferHasMetadataOfInput() throws {
        let buffer = newBuffer(Array("+a".utf8), pts: 5)
        buffer.pointee.duration = 9
        buffer.pointee.offset = 3
        gst_buffer_set_flags(buffer, GST_BUFFER_FLAG_DISCONT)
        #expect(harness.push(buffer) == GST_FLOW_OK)
        let output = try #require(harness.pullRaw())
        defer { gst_buffer_unref(output) }
        #expect(output.bytes == [7, 7, 7])
        #expect(output.pointee.pts == 5 && output.pointee.duration == 9 && output.pointee.offset == 3)
        #expect(gst_buffer_has_flags(output, GST_BUFFER_FLAG_DISCONT) != 0)
    }

    @Test(arguments: [-5..<2, 1..<9, 7..<9])
    func rangeOfBytesIsClamped(range: Range<Int>) {
        guard var buffer = GStreamer.Buffer(copying: ([1, 2, 3] as [UInt8]).span) else {
            Issue.record("there is no memory")
            return
        }
        buffer.keep(range)
        let count = buffer.byteCount
        #expect(count == range.clamped(to: 0..<3).count)
    }

    @Test func bytesAreAppendedWhereMemoryIsAllocated() throws {
        guard var buffer = GStreamer.Buffer(byteCount: 4) else {
            Issue.record("there is no memory")
            return
        }
        buffer.keep(1..<1)
        let isAppended = [buffer.append(([1, 2] as [UInt8]).span), buffer.append(([3] as [UInt8]).span)]
        #expect(isAppended == [true, true])
        // The byte before the offset is not used, and allocators may align the size.
        let isTooMuch = buffer.append([UInt8](repeating: 4, count: 1 << 16).span)
        #expect(!isTooMuch)
        let bytes = buffer.withBytes { bytes in
            (0..<bytes.byteCount).map { bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        }
        #expect(bytes == [1, 2, 3])
    }

    @Test func transformReceivesSegmentAndDropsGap() {
        harness.beginSegment(at: .seconds(2))
        #expect(report.segments.withLock { $0.last?.runningTime(of: .seconds(3)) } == .seconds(1))
        #expect(harness.push(newBuffer([1], pts: 5_000_000_000)) == GST_FLOW_OK)
        #expect(report.runningTimes.withLock { $0 } == [.seconds(3)])
        while harness.pullEvent()?.kind != nil {}
        #expect(harness.push(event: gst_event_new_gap(0, 1)))
        #expect(harness.push(event: gst_event_new_tag(gst_tag_list_new_empty())))
        let arrived = harness.pullEvent()?.unsafeGive()
        #expect(arrived?.pointee.type == GST_EVENT_TAG)
        gst_event_unref(arrived)
        #expect(harness.pullEvent()?.kind == nil)
    }

    @Test func transformReceivesLatencyAndDropsQualityOfService() {
        while harness.pullUpstreamEvent()?.kind != nil {}
        report.latencies.withLock { $0 = [] }
        harness.pushUpstream(Event(unsafeTaking: gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 1, 2, 3)))
        harness.pushUpstream(Event(unsafeTaking: gst_event_new_latency(250_000_000)))
        #expect(report.latencies.withLock { $0 } == [.milliseconds(250)])
        #expect(harness.pullUpstreamEvent()?.kind == .latency)
        #expect(harness.pullUpstreamEvent()?.kind == nil)
    }
}
