import AnalogVideoModel
import CGStreamer
import GstTestSupport
import Testing

/// Tests that the layout of the pixels does not change the picture, and that the filter changes no other bytes.
struct LayoutTests {
    struct Place: Sendable {
        var offset = 0
        /// Number of bytes between the pixels of one row and the next row.
        var gap = 0
        var isUpsideDown = false
        /// Number of bytes after the last pixel.
        var tail = 0
    }

    @Test(
        arguments: [
            Place(), Place(gap: 1), Place(offset: 3, gap: 5, tail: 9), Place(offset: 1, gap: 64), Place(gap: 4096),
            Place(isUpsideDown: true), Place(offset: 7, gap: 3, isUpsideDown: true, tail: 1),
        ], [PixelFormat.bgrx, .rgb, .argb64BE])
    func aPictureDoesNotDependOnTheLayoutOfItsRows(place: Place, format: PixelFormat) throws {
        let (width, height) = (19, 21)
        let picture = TestPicture(width: width, height: height, isDeep: format.isDeep)
        let rowBytes = width * format.bytesPerPixel
        let stride = rowBytes + place.gap
        var bytes = [UInt8](repeating: 0xA5, count: place.offset + (height - 1) * stride + rowBytes + place.tail)
        let dense = picture.bytes(format, stride: rowBytes)
        func start(_ row: Int) -> Int { place.offset + (place.isUpsideDown ? height - 1 - row : row) * stride }
        for row in 0..<height {
            bytes.replaceSubrange(
                start(row)..<(start(row) + rowBytes), with: dense[(row * rowBytes)...].prefix(rowBytes))
        }
        let buffer = newBuffer(bytes, pts: 0)
        var offsets = [gsize(start(0)), 0, 0, 0]
        var strides = [gint(place.isUpsideDown ? -stride : stride), 0, 0, 0]
        gst_buffer_add_video_meta_full(
            buffer, GST_VIDEO_FRAME_FLAG_NONE, number(of: format), guint(width), guint(height), 1, &offsets, &strides)

        let harness = makeHarness(caps: format.caps(width, height))
        #expect(harness.push(buffer) == GST_FLOW_OK)
        let output = try #require(harness.pullRaw())
        defer { gst_buffer_unref(output) }
        let played = (0..<height).flatMap { output.bytes[start($0)..<(start($0) + rowBytes)] }
        #expect(try played == expected(picture, format, rowBytes))

        // All other bytes are unchanged.
        var rest = output.bytes
        for row in 0..<height {
            rest.replaceSubrange(start(row)..<(start(row) + rowBytes), with: repeatElement(0xA5, count: rowBytes))
        }
        #expect(rest.allSatisfy { $0 == 0xA5 })
        #expect(harness.subject.messages() == [])
    }

    /// The picture that results from a buffer with the default layout.
    private func expected(_ picture: TestPicture, _ format: PixelFormat, _ rowBytes: Int) throws -> [UInt8] {
        let harness = makeHarness(caps: format.caps(picture.width, picture.height))
        let bytes = try #require(harness.play(picture.bytes(format), pts: 0))
        let stride = format.stride(width: picture.width)
        return (0..<picture.height).flatMap { bytes[($0 * stride)..<($0 * stride + rowBytes)] }
    }

    @Test(
        arguments: [
            (1, 1), (1, 2), (2, 1), (3, 5), (7, 9), (8, 8), (9, 17), (17, 9), (1, 1000), (1000, 1), (4000, 3),
        ], ["alternating", "upper", "lower", "both", "interleaved-upper", "interleaved-lower"])
    func playsEverySize(size: (Int, Int), useField: String) throws {
        let everything = GoldenFrame.folder.appending(path: "presets/everything.json").path
        for (format, preset) in [(PixelFormat.bgrx, ""), (.rgb, everything), (.abgr64BE, everything)] {
            let input = TestPicture(width: size.0, height: size.1, isDeep: format.isDeep)
            let harness = makeHarness(["preset-file": preset], caps: format.caps(size.0, size.1))
            harness.subject["use-field"] = useField
            for frame in 0..<3 {
                let bytes = try #require(harness.play(input.bytes(format), pts: UInt64(frame) * second / 30))
                #expect(bytes.count == input.bytes(format).count)
            }
            #expect(harness.subject.messages() == [])
        }
    }

    @Test(arguments: [(1, 1), (2, 1), (1, 2), (8, 8), (9, 17)])
    func everySizeHasTheSamePictureAtAnyNumberOfThreads(size: (Int, Int)) {
        let input = TestPicture(width: size.0, height: size.1).bytes(.rgbx)
        func play(_ threads: String) -> [UInt8]? {
            makeHarness(["n-threads": threads], caps: PixelFormat.rgbx.caps(size.0, size.1)).play(input, pts: 0)
        }
        #expect(play("1") != nil)
        #expect(play("1") == play("4"))
    }
}
