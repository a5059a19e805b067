import AnalogVideoModel
import CGStreamer
import GstTestSupport
import Testing

/// Tests that the layout of the planes does not change the picture, and that the filter changes no other bytes.
struct PlaneLayoutTests {
    private static let (width, height) = (19, 21)

    @Test(arguments: [PixelFormat.i420, .nv12, .y42b, .p010], [0, 1, 30])
    func planesMayLieAnywhere(format: PixelFormat, gap: Int) throws {
        for areApart in [false, true] { try check(format, gap: gap, areApart: areApart) }
    }

    private func check(_ format: PixelFormat, gap: Int, areApart: Bool) throws {
        _ = Setup.once
        let caps = format.caps(Self.width, Self.height)
        var info = GstVideoInfo()
        let parsed = gst_caps_from_string(caps)
        gst_video_info_from_caps(&info, parsed)
        gst_caps_unref(parsed)
        let plain = (0..<Int(info.size)).map { UInt8(truncatingIfNeeded: ($0 &* 7) % 199 + 16) }
        let expected = try #require(makeHarness(caps: caps).play(plain, pts: 0))

        let strides = withUnsafeBytes(of: info.stride) { $0.bindMemory(to: gint.self).map { Int($0) } }
        let offsets = withUnsafeBytes(of: info.offset) { $0.bindMemory(to: gsize.self).map { Int($0) } }
        let buffer = gst_buffer_new()!
        var (newOffsets, newStrides) = ([gsize](repeating: 0, count: 4), [gint](repeating: 0, count: 4))
        var all: [UInt8] = []
        for plane in 0..<format.planeCount {
            let rowBytes = format.rowBytes(ofPlane: plane, width: Self.width) ?? 0
            newOffsets[plane] = gsize(all.count)
            newStrides[plane] = gint(rowBytes + gap)
            var bytes: [UInt8] = []
            for row in 0..<format.rows(ofPlane: plane, height: Self.height) {
                bytes += plain[(offsets[plane] + row * strides[plane])...].prefix(rowBytes)
                bytes += [UInt8](repeating: 0xA5, count: gap)
            }
            all += bytes
            guard areApart else { continue }
            gst_buffer_append_memory(buffer, memory(bytes))
        }
        if !areApart { gst_buffer_append_memory(buffer, memory(all)) }
        gst_buffer_add_video_meta_full(
            buffer, GST_VIDEO_FRAME_FLAG_NONE, info.finfo.pointee.format, guint(Self.width), guint(Self.height),
            guint(format.planeCount), &newOffsets, &newStrides)
        buffer.pointee.pts = 0

        let harness = makeHarness(caps: caps)
        #expect(harness.push(buffer) == GST_FLOW_OK)
        let output = try #require(harness.pullRaw())
        defer { gst_buffer_unref(output) }
        let played = output.bytes
        for plane in 0..<format.planeCount {
            let rowBytes = format.rowBytes(ofPlane: plane, width: Self.width) ?? 0
            for row in 0..<format.rows(ofPlane: plane, height: Self.height) {
                let start = Int(newOffsets[plane]) + row * Int(newStrides[plane])
                let isSame = played[start...].prefix(rowBytes)
                    .elementsEqual(expected[(offsets[plane] + row * strides[plane])...].prefix(rowBytes))
                #expect(isSame, "plane \(plane), row \(row)")
                #expect(played[(start + rowBytes)...].prefix(gap).allSatisfy { $0 == 0xA5 })
            }
        }
        #expect(harness.subject.messages() == [])
    }

    private func memory(_ bytes: [UInt8]) -> UnsafeMutablePointer<GstMemory>? {
        let memory = gst_allocator_alloc(nil, gsize(bytes.count), nil)
        var map = GstMapInfo()
        gst_memory_map(memory, &map, GST_MAP_WRITE)
        map.data.update(from: bytes, count: bytes.count)
        gst_memory_unmap(memory, &map)
        return memory
    }
}
