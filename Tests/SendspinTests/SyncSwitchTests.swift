import CGStreamer
import GstTestSupport
import Testing

/// Tests `sendspinsync` while its sink, its property `enabled`, or its neighbours change.
@Suite(.serialized) struct SyncSwitchTests {
    private static let source = "rampsrc ! audio/x-raw,format=S16LE,rate=48000,channels=2"

    @Test func slaveMethodFollowsThePropertyEnabled() {
        let line = DevicePipeline("\(Self.source) ! sendspinsync name=y ! virtualdac name=s slave-method=resample")
        line.start()
        #expect(line.plays(10_000))
        #expect(line.slaveMethod() == "none")
        line.pipeline.set("enabled", to: "false", of: "y")
        #expect(line.slaveMethod() == "resample")
        #expect(line.plays(10_000))
        #expect(line.slaveMethod() == "resample")
        line.pipeline.set("enabled", to: "true", of: "y")
        #expect(eventually { line.slaveMethod() == "none" })
        line.pipeline.go(GST_STATE_READY)
        #expect(line.slaveMethod() == "resample")
    }

    /// When the element is enabled, one splice corrects the error of about 1 ms that has grown before.
    @Test(arguments: [0, 12, 300])
    func enablingCorrectsTheErrorAtOnce(startDelay: Int) {
        // Other load may also cause silence, but not in each of ten runs.
        let isCorrected = (0..<10).contains { _ in
            let line = DevicePipeline(
                "\(Self.source) ! sendspinsync name=y ! virtualdac name=s ppm=-700 start-delay=\(startDelay * 1_000_000)"
            )
            line.start()
            #expect(line.plays(48_000))
            line.pipeline.set("enabled", to: "false", of: "y")
            #expect(line.plays(48_000))
            let silent = line.pipeline.statistic("silent", of: "s")
            line.pipeline.set("enabled", to: "true", of: "y")
            #expect(line.plays(24_000))
            return line.pipeline.statistic("silent", of: "s") - silent <= 480
                && abs(line.pipeline.statistic("last-error", of: "s")) <= 500_000
        }
        #expect(isCorrected)
    }

    @Test func theLastOfTwoElementsCorrects() {
        let line = DevicePipeline(
            "\(Self.source) ! sendspinsync name=x ! sendspinsync name=y ! virtualdac name=s ppm=700 "
                + "settle-time=1500000000")
        line.start()
        #expect(eventually { line.pipeline.statistic("settled-count", of: "s") > 48_000 })
        let (least, most) = (
            line.pipeline.statistic("settled-min", of: "s"), line.pipeline.statistic("settled-max", of: "s")
        )
        // Without corrections, the error would grow by 0.7 ms in this second.
        #expect(most - least < 300_000)
        let corrections = ["x", "y"].map {
            line.pipeline.statistic("inserted", of: $0) + line.pipeline.statistic("dropped", of: $0)
        }
        #expect(corrections[0] == 0 && corrections[1] > 0)
        line.pipeline.go(GST_STATE_READY)
        #expect(line.slaveMethod() == "skew")
    }

    @Test func sinkThatIsLinkedWhileItPlaysIsFound() throws {
        let line = DevicePipeline("\(Self.source) ! sendspinsync name=y ! virtualdac name=s")
        line.start()
        #expect(line.plays(10_000))
        replaceSink(of: line.pipeline)
        #expect(eventually { line.pipeline.get("slave-method", of: "new") == "none" })
        #expect(eventually { line.pipeline.statistic("error-count", of: "new") > 10_000 })
        line.pipeline.go(GST_STATE_READY)
        #expect(line.pipeline.get("slave-method", of: "new") == "skew")
    }

    /// Replaces the sink `s` by a virtual DAC `new` while no data passes.
    private func replaceSink(of pipeline: Pipeline) {
        let pad = gst_element_get_static_pad(pipeline.element("y"), "src")!
        let kind = GstPadProbeType(
            rawValue: GST_PAD_PROBE_TYPE_BLOCK.rawValue | GST_PAD_PROBE_TYPE_BUFFER.rawValue)
        let passed = Latch()
        let probe = gst_pad_add_probe(
            pad, kind,
            { _, _, latch in
                Unmanaged<Latch>.fromOpaque(latch!).takeUnretainedValue().open()
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(passed).toOpaque(), { Unmanaged<Latch>.fromOpaque($0!).release() })
        #expect(passed.wait())
        let old = pipeline.element("s")
        gst_object_ref(old)
        gst_bin_remove(pipeline.bin, old)
        gst_element_set_state(old, GST_STATE_NULL)
        gst_object_unref(old)
        let new = gst_element_factory_make("virtualdac", "new")!
        gst_bin_add(pipeline.bin, new)
        gst_element_link(pipeline.element("y"), new)
        gst_element_sync_state_with_parent(new)
        gst_pad_remove_probe(pad, probe)
        gst_object_unref(pad)
    }
}
