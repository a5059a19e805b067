import CGStreamer
import GStreamer
import GstTestSupport
import Testing

@Suite struct VideoFrameTests {
    @Test func planesEndWithLastPixelBeforePadding() {
        // RGB rows of 5 pixels have 15 bytes and are padded to 16 bytes.
        let seen = pass("video/x-raw,format=RGB,width=5,height=3", bytes: 48)
        #expect(seen?.stride == 16)
        #expect(seen?.byteCount == 16 * 2 + 15)
        #expect(seen?.firstRowOffset == 0)
    }

    @Test func framesOfOnePixelArePassed() {
        let seen = pass("video/x-raw,format=BGRx,width=1,height=1", bytes: 4)
        #expect(seen?.byteCount == 4)
        #expect(seen?.height == 1)
    }

    @Test func stridesAndOffsetsComeFromTheBuffer() {
        let seen = pass(smallCaps, bytes: 7 + 24 + 16) { describe($0, offset: 7, stride: 24) }
        #expect(seen?.stride == 24)
        #expect(seen?.byteCount == 24 + 16)
    }

    @Test func bottomUpFrameStartsAtTopRow() {
        let seen = pass(smallCaps, bytes: 32) { describe($0, offset: 16, stride: -16) }
        #expect(seen?.stride == -16)
        #expect(seen?.firstRowOffset == 16)
        #expect(seen?.byteCount == 32)
    }

    @Test(arguments: [(0, Int32(24)), (1, 16), (0, -16), (0, .max), (16, .min)])
    func videoMetaBeyondMemoryIsRejected(offset: Int, stride: Int32) {
        let harness = makeHarness()
        let frame = harness.frame()
        describe(frame, offset: offset, stride: stride)
        #expect(harness.push(frame) == GST_FLOW_OK)
        #expect(harness.subject.get("frames") == "0")
        #expect(harness.subject.messages().map(\.type) == ["warning"])
    }

    @Test func missingTimestampsAreNil() {
        #expect(pass(smallCaps, bytes: 32) { $0.pointee.pts = 5 }?.pts == .nanoseconds(5))
        #expect(pass(smallCaps, bytes: 32)?.pts == .some(nil))
    }

    struct Scan {
        var caps: String
        var flags: UInt32 = 0
        var isInterlaced = true, isOneField = false, isTop = false
    }

    static let top = GST_VIDEO_BUFFER_FLAG_TFF.rawValue
    static let one = GST_VIDEO_BUFFER_FLAG_ONEFIELD.rawValue
    static let interlaced = GST_VIDEO_BUFFER_FLAG_INTERLACED.rawValue

    @Test(arguments: [
        Scan(caps: "interlace-mode=progressive", flags: top, isInterlaced: false),
        Scan(caps: "interlace-mode=interleaved,field-order=top-field-first", isTop: true),
        Scan(caps: "interlace-mode=interleaved,field-order=bottom-field-first"),
        Scan(caps: "interlace-mode=interleaved", flags: top, isTop: true),
        Scan(caps: "interlace-mode=interleaved,field-order=top-field-first", flags: one, isOneField: true),
        Scan(
            caps: "interlace-mode=interleaved,field-order=top-field-first", flags: one | top, isOneField: true,
            isTop: true),
        Scan(caps: "interlace-mode=mixed", isInterlaced: false),
        Scan(caps: "interlace-mode=mixed", flags: interlaced | top, isTop: true),
        Scan(caps: "interlace-mode=mixed", flags: interlaced | one, isOneField: true),
    ])
    func fieldsAreReadFromCapsAndBuffers(scan: Scan) {
        let seen = pass("video/x-raw,format=BGRx,width=4,height=2,\(scan.caps)", bytes: 32) {
            $0.pointee.mini_object.flags |= scan.flags
        }
        #expect(seen?.isInterlaced == scan.isInterlaced)
        #expect(seen?.isOneField == scan.isOneField)
        #expect(seen?.isTopFieldFirst == scan.isTop)
    }

    @Test(arguments: [true, false])
    func alternateBuffersHaveRowsOfOneField(isTop: Bool) {
        let seen = pass(
            "video/x-raw(format:Interlaced),format=BGRx,width=4,height=5,interlace-mode=alternate", bytes: 48
        ) { $0.pointee.mini_object.flags |= Self.one | (isTop ? Self.top : 0) }
        #expect(seen?.height == 3)
        #expect(seen?.byteCount == 48)
        #expect(seen?.isOneField == true)
        #expect(seen?.isTopFieldFirst == isTop)
    }

    /// Pushes a frame of `bytes` bytes and returns what the filter reads from it; nil if the filter receives no frame.
    private func pass(_ caps: String, bytes: Int, _ prepare: (RawBuffer) -> Void = { _ in }) -> Sightings.Frame? {
        let harness = makeHarness(caps: caps)
        let frame = harness.frame(bytes: bytes)
        prepare(frame)
        harness.push(frame)
        return EveryKindFilter.newest.withLock { $0[harness.subject.name] }
    }
}
