import AnalogVideoModel
import CGStreamer
import GstTestSupport
import Testing

/// Tests fields, which caps and buffer flags describe; see docs/NTSC.md, "Fields".
struct InterlaceTests {
    private static let width = 40
    private static let height = 36
    private let input = TestPicture(width: width, height: height)

    @Test func aProgressivePictureFollowsUseField() throws {
        let upperFirst = try play("", ["use-field": "interleaved-upper"])
        #expect(try play("interlace-mode=progressive", ["use-field": "interleaved-upper"]) == upperFirst)
        var pictures = [upperFirst]
        for field in ["alternating", "upper", "lower", "both", "interleaved-lower"] {
            let picture = try play("", ["use-field": field])
            // The number of frame 4 is even, so `alternating` has the lower field.
            if field != "lower" { #expect(!pictures.contains(picture), "\(field)") }
            pictures.append(picture)
        }
        #expect(pictures[1] == pictures[3])
    }

    @Test(arguments: ["both", "upper", "interleaved-lower"])
    func anInterlacedPictureDoesNotFollowUseField(useField: String) throws {
        let settings = ["use-field": useField]
        let topFirst = try play("", ["use-field": "interleaved-upper"])
        let bottomFirst = try play("", ["use-field": "interleaved-lower"])
        #expect(try play("interlace-mode=interleaved,field-order=top-field-first", settings) == topFirst)
        #expect(try play("interlace-mode=interleaved,field-order=bottom-field-first", settings) == bottomFirst)
        #expect(try play("interlace-mode=interleaved", settings, FieldFlags.topFirst) == topFirst)
        #expect(try play("interlace-mode=interleaved", settings) == bottomFirst)
        #expect(try play("interlace-mode=fields,field-order=top-field-first", settings) == topFirst)
    }

    @Test func theFlagsOfABufferApplyInMixedVideo() throws {
        let settings = ["use-field": "both"]
        let mixed = "interlace-mode=mixed"
        #expect(try play(mixed, settings) == play("", settings))
        let interlaced = FieldFlags.interlaced
        #expect(try play(mixed, settings, interlaced) == play("", ["use-field": "interleaved-lower"]))
        #expect(
            try play(mixed, settings, interlaced | FieldFlags.topFirst) == play("", ["use-field": "interleaved-upper"]))
        let top = interlaced | FieldFlags.oneField | FieldFlags.topFirst
        #expect(try play(mixed, settings, top) == play("interlace-mode=interleaved", [:], top))
    }

    @Test(arguments: [true, false])
    func aBufferWithOneFieldKeepsTheRowsOfTheOther(isTop: Bool) throws {
        let flags = FieldFlags.oneField | (isTop ? FieldFlags.topFirst : 0)
        let played = try play("interlace-mode=interleaved", [:], flags)
        #expect(played.field(isTop: !isTop) == input.field(isTop: !isTop))
        // A single field has the number of the first field of its frame.
        let order = isTop ? "top-field-first" : "bottom-field-first"
        let frame = try play("interlace-mode=interleaved,field-order=\(order)")
        #expect(played.field(isTop: isTop) == frame.field(isTop: isTop))
        #expect(frame.field(isTop: isTop) != input.field(isTop: isTop))
    }

    /// The buffer contains only the rows of one field, but the scale depends on the rows of the whole picture.
    @Test(arguments: [true, false], ["false", "true"])
    func alternateBuffersShowTheirFieldOfTheWholeFrame(isTop: Bool, isScaled: String) throws {
        let settings = ["scale-with-video-size": isScaled, "vertical-scale": "3", "bandwidth-scale": "2"]
        let order = isTop ? "top-field-first" : "bottom-field-first"
        let frame = try play("interlace-mode=interleaved,field-order=\(order)", settings)
        let field = input.field(isTop: isTop)
        let caps = """
            video/x-raw(format:Interlaced),format=RGBx,width=\(Self.width),height=\(Self.height),framerate=30/1,\
            interlace-mode=alternate
            """
        let flags = FieldFlags.interlaced | FieldFlags.oneField | (isTop ? FieldFlags.topFirst : 0)
        let harness = makeHarness(settings, caps: caps)
        let bytes = try #require(harness.play(field.bytes(.rgbx), pts: 4 * second / 30, flags: flags))
        let played = TestPicture(bytes, .rgbx, width: Self.width, height: field.height, stride: Self.width * 4)
        #expect(played == frame.field(isTop: isTop))
    }

    /// One buffer contains two successive fields, which each have a GstVideoMeta.
    @Test(arguments: [true, false])
    func separateFieldsEqualThoseOfTheWholeFrame(isTopFirst: Bool) throws {
        let order = isTopFirst ? "top-field-first" : "bottom-field-first"
        let frame = try play("interlace-mode=interleaved,field-order=\(order)")
        let (upper, lower) = (input.field(isTop: true), input.field(isTop: false))
        let rowBytes = Self.width * 4
        let buffer = newBuffer(lower.bytes(.rgbx) + upper.bytes(.rgbx), pts: 4 * second / 30)
        for (field, offset) in [(0, lower.height * rowBytes), (1, 0)] {
            var offsets = [gsize(offset), 0, 0, 0]
            var strides = [gint(rowBytes), 0, 0, 0]
            let meta = gst_buffer_add_video_meta_full(
                buffer, GST_VIDEO_FRAME_FLAG_INTERLACED, GST_VIDEO_FORMAT_RGBx, guint(Self.width), guint(Self.height),
                1, &offsets, &strides)
            meta?.pointee.id = gint(field)
        }
        let caps = PixelFormat.rgbx.caps(
            Self.width, Self.height, "framerate=30/1,interlace-mode=fields,field-order=\(order)")
        let harness = makeHarness(caps: caps)
        #expect(harness.push(buffer) == GST_FLOW_OK)
        let output = try #require(harness.pullRaw())
        defer { gst_buffer_unref(output) }
        let split = lower.height * rowBytes
        let playedLower = TestPicture(
            Array(output.bytes[..<split]), .rgbx, width: Self.width, height: lower.height, stride: rowBytes)
        let playedUpper = TestPicture(
            Array(output.bytes[split...]), .rgbx, width: Self.width, height: upper.height, stride: rowBytes)
        #expect(playedUpper == frame.field(isTop: true))
        #expect(playedLower == frame.field(isTop: false))
        #expect(harness.subject.messages() == [])
    }

    /// The position of chroma relative to the rows of its field does not depend on how the field is stored.
    @Test(arguments: [PixelFormat.i420, .nv12, .yuy2])
    func fieldsOfLumaAndChromaEqualThoseOfTheWholeFrame(format: PixelFormat) throws {
        let (width, height) = (Self.width, Self.height)
        func bytes(_ rows: Int, _ row: (Int, Int, Int) -> UInt8) -> (all: [UInt8], starts: [Int]) {
            var (all, starts): ([UInt8], [Int]) = ([], [])
            for plane in 0..<format.planeCount {
                starts.append(all.count)
                for y in 0..<format.rows(ofPlane: plane, height: rows) {
                    all += (0..<(format.rowBytes(ofPlane: plane, width: width) ?? 0)).map { row(plane, y, $0) }
                }
            }
            return (all, starts)
        }
        func sample(_ plane: Int, _ y: Int, _ x: Int) -> UInt8 { UInt8((x * 5 + y * 7 + plane * 40) % 150 + 50) }
        let frame = bytes(height, sample).all
        let fields = (0..<2).map { field in bytes(height / 2) { sample($0, $1 * 2 + field, $2) } }
        let order = "framerate=30/1,field-order=top-field-first"
        let expected = try #require(
            makeHarness(caps: format.caps(width, height, "\(order),interlace-mode=interleaved")).play(frame, pts: 0))

        let buffer = newBuffer(fields[0].all + fields[1].all, pts: 0)
        for field in 0..<2 {
            var (offsets, strides) = ([gsize](repeating: 0, count: 4), [gint](repeating: 0, count: 4))
            for plane in 0..<format.planeCount {
                offsets[plane] = gsize(field * fields[0].all.count + fields[0].starts[plane])
                strides[plane] = gint(format.rowBytes(ofPlane: plane, width: width) ?? 0)
            }
            let meta = gst_buffer_add_video_meta_full(
                buffer, GST_VIDEO_FRAME_FLAG_INTERLACED, number(of: format), guint(width), guint(height),
                guint(format.planeCount), &offsets, &strides)
            meta?.pointee.id = gint(field)
        }
        let harness = makeHarness(caps: format.caps(width, height, "\(order),interlace-mode=fields"))
        #expect(harness.push(buffer) == GST_FLOW_OK)
        let output = try #require(harness.pullRaw())
        defer { gst_buffer_unref(output) }
        // The test interleaves the rows of both fields again.
        let played = output.bytes
        let together = bytes(height) { plane, y, x in
            let field = y % 2
            let start = field * fields[0].all.count + fields[0].starts[plane]
            return played[start + (y / 2) * (format.rowBytes(ofPlane: plane, width: width) ?? 0) + x]
        }
        let isSame = together.all == expected
        #expect(isSame)
        #expect(harness.subject.messages() == [])
    }

    /// The filter must check the offset of the second field, because GstVideoFrame checks only the first field.
    @Test(arguments: [gsize.max, gsize(Int.max), gsize(Int.max) - 40, gsize(Int.max) + 1], [gint(160), -160, .min])
    func rejectsFieldsOutsideOfTheBuffer(offset: gsize, stride: gint) throws {
        let bytes = input.bytes(.rgbx)
        let buffer = newBuffer(bytes, pts: 0)
        for (field, place, stride) in [(0, gsize(0), gint(160)), (1, offset, stride)] {
            var (offsets, strides) = ([place, 0, 0, 0], [stride, 0, 0, 0])
            let meta = gst_buffer_add_video_meta_full(
                buffer, GST_VIDEO_FRAME_FLAG_INTERLACED, GST_VIDEO_FORMAT_RGBx, guint(Self.width), guint(Self.height),
                1, &offsets, &strides)
            meta?.pointee.id = gint(field)
        }
        let harness = makeHarness(
            caps: PixelFormat.rgbx.caps(Self.width, Self.height, "framerate=30/1,interlace-mode=fields"))
        #expect(harness.push(buffer) == GST_FLOW_OK)
        let output = try #require(harness.pullRaw())
        defer { gst_buffer_unref(output) }
        #expect(output.bytes == bytes)
        #expect(harness.subject.messages().count == 1)
    }

    @Test func playsAnAlternateFieldOfAnOddHeight() throws {
        let caps = "video/x-raw(format:Interlaced),format=RGBx,width=4,height=5,framerate=30/1,interlace-mode=alternate"
        let harness = makeHarness(caps: caps)
        let field = TestPicture(width: 4, height: 3)
        for flags in [FieldFlags.oneField, FieldFlags.oneField | FieldFlags.topFirst] {
            #expect(harness.play(field.bytes(.rgbx), pts: 0, flags: FieldFlags.interlaced | flags) != nil)
        }
        #expect(harness.subject.messages() == [])
    }

    private func play(_ caps: String, _ properties: [String: String] = [:], _ flags: UInt32 = 0) throws -> TestPicture {
        let more = caps.isEmpty ? "framerate=30/1" : "framerate=30/1,\(caps)"
        let harness = makeHarness(properties, caps: PixelFormat.rgbx.caps(Self.width, Self.height, more))
        let bytes = try #require(harness.play(input.bytes(.rgbx), pts: 4 * second / 30, flags: flags))
        return TestPicture(bytes, .rgbx, width: Self.width, height: Self.height, stride: Self.width * 4)
    }
}

/// One second in nanoseconds.
let second: UInt64 = 1_000_000_000
