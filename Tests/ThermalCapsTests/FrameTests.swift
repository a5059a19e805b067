import CGStreamer
import GstTestSupport
import Synchronization
import Testing

/// Tests the frames of the output, and the release of the pipeline.
@Suite(.serialized) struct FrameTests {
    /// The darkest byte of all frames that are smaller than the full size.
    private final class Darkest: Sendable {
        let byte = Atomic<Int>(255)
        let frames = Atomic<Int>(0)

        func look(at buffer: UnsafeMutablePointer<GstBuffer>, of fullSize: gsize) {
            let size = gst_buffer_get_size(buffer)
            guard size < fullSize else { return }
            var bytes = [UInt8](repeating: 255, count: Int(size))
            gst_buffer_extract(buffer, 0, &bytes, size)
            byte.store(min(byte.load(ordering: .relaxed), Int(bytes.min() ?? 255)), ordering: .relaxed)
            frames.add(1, ordering: .relaxed)
        }
    }

    @Test(arguments: ["width=1080,height=1920", "width=1920,height=1080", "width=320,height=242"])
    func scalesWithoutBorders(size: String) {
        let rig = ThermalRig(
            "videotestsrc is-live=true pattern=white ! video/x-raw,format=ARGB,\(size),framerate=10/1",
            "forced-level=critical min-height=16 policy=maintain-framerate")
        let darkest = Darkest()
        let pad = gst_element_get_static_pad(rig.pipeline.element(), "src")
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_BUFFER,
            { _, info, darkest in
                let buffer = info!.pointee.data.assumingMemoryBound(to: GstBuffer.self)
                Unmanaged<Darkest>.fromOpaque(darkest!).takeUnretainedValue().look(at: buffer, of: 320 * 242 * 4)
                return GST_PAD_PROBE_OK
            }, Unmanaged.passUnretained(darkest).toOpaque(), nil)
        gst_object_unref(pad)
        rig.play()
        #expect(eventually { darkest.frames.load(ordering: .relaxed) > 5 })
        rig.pipeline.go(GST_STATE_NULL)
        #expect(darkest.byte.load(ordering: .relaxed) > 200)
    }

    /// Tests that caps without a pixel aspect ratio still have square pixels after scaling.
    @Test func keepsPixelsSquare() {
        let rig = ThermalRig(
            "videotestsrc is-live=true ! video/x-raw,format=I420,width=640,height=480,framerate=30/1 ! "
                + "capssetter replace=true caps=video/x-raw,format=I420,width=640,height=480,framerate=30/1",
            "forced-level=critical min-height=320", "fakesink")
        guard Setup.has("capssetter") else { return }
        rig.play()
        #expect(eventually { rig.output.last.hasPrefix("426x320") })
        let pad = gst_element_get_static_pad(rig.pipeline.element(), "src")
        let caps = gst_pad_get_current_caps(pad)
        gst_object_unref(pad)
        var info = GstVideoInfo()
        #expect(gst_video_info_from_caps(&info, caps) != 0 && info.par_n == 1 && info.par_d == 1)
        gst_caps_unref(caps)
    }

    /// A width is an integer, so 854x480 is not exactly 16:9, and a scaler would log a warning for each such size.
    @Test(arguments: [
        "width=1920,height=1080", "width=1080,height=1920", "width=1366,height=768,pixel-aspect-ratio=12/11",
        "width=720,height=576,interlace-mode=interleaved",
    ])
    func logsNoWarningOfTheScaler(size: String) {
        let log = Log()
        let listener = LogListener { message in
            guard message.level.rawValue <= GST_LEVEL_WARNING.rawValue, message.category.hasPrefix("video") else {
                return
            }
            let text = message.text
            log.lines.withLock { $0.append(text) }
        }
        gst_debug_set_default_threshold(GST_LEVEL_WARNING)
        defer {
            gst_debug_set_default_threshold(GST_LEVEL_NONE)
            listener.end()
        }
        let rig = ThermalRig(
            "videotestsrc is-live=true ! video/x-raw,format=I420,\(size),framerate=30/1", "min-height=240", "fakesink")
        rig.play()
        #expect(eventually { rig.output.frames > 2 })
        // On a busy machine, a step may end before a frame has its caps, so several turns may be necessary.
        for _ in 0..<5 where rig.output.caps.count <= 5 {
            rig.pipeline.set("forced-level", to: "critical")
            #expect(eventually { rig.action.contains("5/1 fps") }, "\(rig.action)")
            rig.pipeline.set("forced-level", to: "nominal")
            #expect(eventually { rig.action == "none" })
        }
        #expect(rig.output.caps.count > 5)
        rig.pipeline.go(GST_STATE_NULL)
        let lines = log.lines.withLock { $0 }
        #expect(lines == [])
        #expect(rig.output.wrongFrames == 0)
    }

    private final class Log: Sendable {
        let lines = Mutex<[String]>([])
    }

    /// If the first frame after a gap is dropped, the next frame that passes must have DISCONT.
    @Test func marksTheDiscontinuityOfADroppedFrameOnTheNext() {
        let rig = ThermalRig(LadderTests.fixed, "forced-level=serious", "fakesink")
        let marks = Marks()
        func watch(
            _ name: String,
            _ body:
                @escaping @convention(c) (
                    UnsafeMutablePointer<GstPad>?, UnsafeMutablePointer<GstPadProbeInfo>?, gpointer?
                ) -> GstPadProbeReturn
        ) {
            let pad = gst_element_get_static_pad(rig.pipeline.element(), name)
            gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, body, Unmanaged.passUnretained(marks).toOpaque(), nil)
            gst_object_unref(pad)
        }
        rig.play()
        #expect(eventually { rig.output.last == "320x240@20/1" })
        watch("sink") { _, info, marks in
            let marks = Unmanaged<Marks>.fromOpaque(marks!).takeUnretainedValue()
            let buffer = info!.pointee.data.assumingMemoryBound(to: GstBuffer.self)
            if marks.frames.add(1, ordering: .relaxed).newValue.isMultiple(of: 7) {
                gst_buffer_set_flags(buffer, GST_BUFFER_FLAG_DISCONT)
                marks.before.add(1, ordering: .relaxed)
            } else {
                gst_buffer_unset_flags(buffer, GST_BUFFER_FLAG_DISCONT)
            }
            return GST_PAD_PROBE_OK
        }
        watch("src") { _, info, marks in
            let buffer = info!.pointee.data.assumingMemoryBound(to: GstBuffer.self)
            let marks = Unmanaged<Marks>.fromOpaque(marks!).takeUnretainedValue()
            if gst_buffer_has_flags(buffer, GST_BUFFER_FLAG_DISCONT) != 0 { marks.after.add(1, ordering: .relaxed) }
            return GST_PAD_PROBE_OK
        }
        #expect(eventually { marks.before.load(ordering: .relaxed) > 9 })
        rig.pipeline.go(GST_STATE_NULL)
        #expect(marks.before.load(ordering: .relaxed) - marks.after.load(ordering: .relaxed) <= 1)
    }

    private final class Marks: Sendable {
        let frames = Atomic<Int>(0)
        let before = Atomic<Int>(0)
        let after = Atomic<Int>(0)
    }

    /// Tests that the release of the last reference to a stopped pipeline frees all its elements.
    @Test func isReleasedWithItsLastReference() {
        for _ in 0..<300 {
            let pipeline = gst_parse_launch("videotestsrc num-buffers=2 ! thermalcaps name=p ! fakesink", nil)!
            let bin = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self)
            let element = gst_bin_get_by_name(bin, "p")
            let hasEnded = Marks()
            g_object_weak_ref(
                UnsafeMutableRawPointer(element!).assumingMemoryBound(to: GObject.self),
                { data, _ in Unmanaged<Marks>.fromOpaque(data!).takeUnretainedValue().after.add(1, ordering: .relaxed)
                },
                Unmanaged.passUnretained(hasEnded).toOpaque())
            gst_object_unref(element)
            gst_element_set_state(pipeline, GST_STATE_PLAYING)
            gst_element_get_state(pipeline, nil, nil, 5_000_000_000)
            // Messages hold a reference to their source, and the thread that completes a state change holds one too.
            let bus = gst_element_get_bus(pipeline)
            let isUnused = eventually {
                while let message = gst_bus_pop(bus) { gst_message_unref(message) }
                return pipeline.object.pointee.ref_count == 1
            }
            gst_object_unref(bus)
            guard isUnused else {
                Issue.record("the pipeline is referenced while it plays")
                break
            }
            gst_element_set_state(pipeline, GST_STATE_NULL)
            gst_object_unref(pipeline)
            #expect(hasEnded.after.load(ordering: .relaxed) == 1)
        }
    }
}
