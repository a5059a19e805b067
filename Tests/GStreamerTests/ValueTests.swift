import CGStreamer
import GstTestSupport
import Testing

import Threads
@testable import GStreamer

/// Tests buffers, caps, tags, events and times.
@Suite struct ValueTests {
    init() { _ = TestElements.once }

    @Test func sharedBufferIsCopiedBeforeChange() {
        guard var one = GStreamer.Buffer(byteCount: 2) else {
            Issue.record("there is no memory")
            return
        }
        _ = one.withMutableBytes { $0.storeBytes(of: 0x0102, as: UInt16.self) }
        let other = one.retained()
        _ = one.withMutableBytes { $0.storeBytes(of: 0x0304, as: UInt16.self) }
        one.pts = .seconds(1)
        let (changed, kept) = (
            one.withBytes { $0.unsafeLoad(as: UInt16.self) }, other.withBytes { $0.unsafeLoad(as: UInt16.self) }
        )
        #expect(changed == 0x0304)
        #expect(kept == 0x0102)
        let (pts, otherPTS) = (one.pts, other.pts)
        #expect(pts == .seconds(1))
        #expect(otherPTS == nil)
        one.pts = nil
        let cleared = one.pts
        #expect(cleared == nil)
    }

    @Test func listPreservesOrderOfBuffers() {
        guard var list = BufferList() else {
            Issue.record("there is no memory")
            return
        }
        for size in 1...3 { if let buffer = GStreamer.Buffer(byteCount: size) { list.append(buffer) } }
        let sizes = (-1...3).map { list.buffer(at: $0)?.byteCount }
        #expect(sizes == [nil, 1, 2, 3, nil])
    }

    @Test func capsAreParsedComparedAndIntersected() throws {
        let caps = try #require(Caps("video/x-raw(memory:DMABuf), width=[1,4]; audio/x-raw, rate=8000"))
        #expect(caps.count == 2 && !caps.isFixed && caps.name == "video/x-raw(memory:DMABuf)")
        #expect(caps.structure(at: 1)?["rate"] == .int(8000))
        #expect(caps.structure(at: 2) == nil)
        #expect(try caps.intersection(#require(Caps("audio/x-raw"))).isFixed)
        #expect(try caps.intersection(#require(Caps("image/png"))).isEmpty)
        #expect(Caps("[") == nil)
    }

    /// Signal handlers of applications may return incomplete caps.
    @Test(arguments: ["video/x-raw", "video/x-raw, format=I420, width=4", "video/x-raw, width=4, height=4"])
    func incompleteRawVideoCapsLogNoError(text: String) throws {
        let log = VideoInfoLog()
        let caps = try log.whileLogging { try #require(Caps(text)) }
        #expect(!caps.isRawVideo && caps.isFixed)
        #expect(log.lines == [])
    }

    @Test func tagEventPreservesTags() {
        let tags = TagList([
            .title: .string("One"), .bitrate: .uint(128_000), .artist: .int(1), TagList.Tag("no-tag"): .int(2),
        ])
        let read = Event.tags(tags)?.tags
        #expect(read == TagList([.title: .string("One"), .bitrate: .uint(128_000)]))
    }

    @Test func tagsOfAlbumsPreserveDatesAndPictures() {
        let picture = Sample([0xFF, 0xD8, 0xFF], caps: Caps("image/jpeg"))
        let tags = TagList([
            .albumArtist: .string("Two"), .trackNumber: .uint(3), .date: .date(CalendarDate(year: 1999)),
            .image: .sample(picture),
        ])
        let read = Event.tags(tags)?.tags
        #expect(read == tags)
        for date in [
            CalendarDate(year: 2024, month: 2), CalendarDate(year: 2024, month: 2, day: 29),
        ] {
            let read = Event.tags(TagList([.date: .date(date)]))?.tags
            #expect(read == TagList([.date: .date(date)]))
        }
    }

    @Test(arguments: [
        CalendarDate(year: 0), CalendarDate(year: 10000), CalendarDate(year: 2023, month: 0),
        CalendarDate(year: 2023, month: 13), CalendarDate(year: 2023, month: 2, day: 29),
        CalendarDate(year: 2023, month: 1, day: -1), CalendarDate(year: 2023, month: 1, day: .max),
    ])
    func dateThatDoesNotExistIsLeftOut(date: CalendarDate) {
        let read = Event.tags(TagList([.date: .date(date)]))?.tags
        #expect(read == TagList())
    }

    @Test func arraysAndBuffersAreFieldValues() {
        let structure = Structure(
            "values", ["headers": .array([.bytes([1, 2]), .bytes([])]), "numbers": .array([.int(1), .int(2)])])
        let read = Event.custom(structure, isUpstream: false)?.structure
        #expect(read == structure)
    }

    /// Each value of an array has an index, so an array with an invalid value is omitted as a whole.
    @Test(
        arguments: [
            [.int(1), .fraction(Structure.Fraction(1, 0))], [.int(1), .string("two")], [.other("3")],
        ] as [[Structure.Value]])
    func arrayWithAnInvalidValueIsLeftOut(values: [Structure.Value]) {
        let read = Event.custom(Structure("values", ["array": .array(values)]), isUpstream: false)?.structure
        #expect(read == Structure("values"))
    }

    @Test func bufferHasFlagsAndOffsets() {
        guard var buffer = GStreamer.Buffer(copying: ([1, 2, 3] as [UInt8]).span) else {
            Issue.record("there is no memory")
            return
        }
        buffer.set([.discontinuity, .header])
        buffer.unset(.header)
        buffer.offset = 5
        buffer.offsetEnd = 9
        let other = buffer.retained()
        buffer.set(.gap)
        buffer.offset = nil
        let (flags, offset, end) = (buffer.flags, buffer.offset, buffer.offsetEnd)
        #expect(flags == [.discontinuity, .gap] && offset == nil && end == 9)
        let (otherFlags, otherOffset) = (other.flags, other.offset)
        #expect(otherFlags == .discontinuity && otherOffset == 5)
    }

    @Test func customEventPreservesStructure() {
        let structure = Structure(
            "swift-event", ["depth": .int(3), "in": .structure(Structure("x", ["y": .bool(true)]))])
        let read = Event.custom(structure, isUpstream: true)?.structure
        #expect(read == structure)
        let isRefused = Event.custom(Structure("1 is no name"), isUpstream: true)?.kind == nil
        #expect(isRefused)
    }
}

/// Records the log messages of the category `video-info` on this thread.
private final class VideoInfoLog: Sendable {
    private let found = Mutex<[String]>([])

    var lines: [String] { found.withLock { $0 } }

    func whileLogging<Result>(_ body: () throws -> Result) rethrows -> Result {
        let thread = Worker.currentThread
        let listener = LogListener { [self] message in
            guard message.category == "video-info", Worker.currentThread == thread else { return }
            let line = message.text
            found.withLock { $0.append(line) }
        }
        gst_debug_set_threshold_for_name("video-info", GST_LEVEL_ERROR)
        defer {
            gst_debug_unset_threshold_for_name("video-info")
            listener.end()
        }
        return try body()
    }
}
