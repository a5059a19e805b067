import CGStreamer
import GstTestSupport
import Testing

struct ElementTests {
    // MARK: The delay

    /// The first output has the time of the first input, and the end of the stream pushes what the line holds.
    @Test(arguments: [[480], [100], [4_800], [1, 37, 2_000]])
    func soundKeepsItsTimeAndItsLength(sizes: [Int]) {
        let rig = Rig(transparent)
        let input = ramp(9_600)
        var (start, turn) = (0, 0)
        while start < input.count {
            let end = min(start + sizes[turn % sizes.count], input.count)
            #expect(rig.push(input[start..<end], at: start + 48_000) == GST_FLOW_OK)
            (start, turn) = (end, turn + 1)
        }
        rig.push(event: gst_event_new_eos())
        let outputs = rig.outputs()
        #expect(outputs.samples == input)
        // Times are rounded to nanoseconds.
        #expect(abs(Int(outputs.first?.pts ?? 0) - Int(second)) <= 1)
        for (output, next) in zip(outputs, outputs.dropFirst()) {
            #expect(abs(Int(output.pts + output.duration) - Int(next.pts)) < 100, "no gap between buffers")
        }
        #expect(abs(Int(outputs.last.map { $0.pts + $0.duration } ?? 0) - Int(second + second / 5)) <= 1)
    }

    @Test func theLatencyIsThatOfTheDelayLine() throws {
        let rig = Rig(transparent)
        let latency = rig.latency
        #expect(latency.minimum > 0 && latency.minimum < second / 100, "\(latency)")
        // Of a second of input, the last samples are still held: as many as the latency.
        rig.push(ramp(48_000)[...], at: 0)
        let missing = UInt64(48_000 - rig.outputs().samples.count) * second / 48_000
        #expect(abs(Int(missing) - Int(latency.minimum)) < 100_000)
    }

    @Test func streamsShorterThanTheDelayArrive() {
        let rig = Rig(transparent)
        rig.push(ramp(10)[...], at: 480)
        #expect(rig.outputs().isEmpty)
        rig.push(event: gst_event_new_eos())
        let outputs = rig.outputs()
        #expect(outputs.samples == ramp(10))
        #expect(outputs.first?.pts == second / 100)
    }

    // MARK: Discontinuities

    /// After a jump, the sound before it is complete, and that after it begins at its time.
    @Test func aDiscontinuityKeepsBothSides() {
        let rig = Rig(transparent)
        rig.push(ramp(4_800)[...], at: 0)
        rig.push(ramp(4_800)[...], at: 96_000, flags: GST_BUFFER_FLAG_DISCONT.rawValue)
        rig.push(event: gst_event_new_eos())
        let outputs = rig.outputs()
        #expect(outputs.samples == ramp(4_800) + ramp(4_800))
        #expect(outputs.contains { $0.pts == 2 * second })
    }

    @Test func aGapEventKeepsWhatIsBeforeIt() {
        let rig = Rig(transparent)
        rig.push(ramp(4_800)[...], at: 0)
        rig.push(event: gst_event_new_gap(GstClockTime(second / 10), GstClockTime(second)))
        #expect(rig.outputs().samples == ramp(4_800))
        rig.push(ramp(4_800)[...], at: 48_000 + 4_800)
        rig.push(event: gst_event_new_eos())
        let outputs = rig.outputs()
        #expect(outputs.samples == ramp(4_800))
        #expect(outputs.first?.pts == second + second / 10)
    }

    @Test func aFlushDropsWhatTheLineHolds() {
        let rig = Rig(transparent)
        rig.push(ramp(4_800)[...], at: 0)
        _ = rig.outputs()
        rig.push(event: gst_event_new_flush_start())
        rig.push(event: gst_event_new_flush_stop(1))
        rig.harness.beginSegment()
        #expect(rig.outputs().isEmpty)
        rig.push(ramp(4_800)[...], at: 48_000)
        rig.push(event: gst_event_new_eos())
        let outputs = rig.outputs()
        #expect(outputs.samples == ramp(4_800))
        #expect(outputs.first?.pts == second)
    }

    @Test func newCapsKeepWhatIsBeforeThem() {
        let rig = Rig(transparent)
        rig.push(ramp(4_800)[...], at: 0)
        #expect(rig.harness.offer("audio/x-raw,format=F32LE,rate=44100,channels=2,layout=interleaved"))
        #expect(rig.outputs().samples == ramp(4_800))
        rig.push(ramp(4_410)[...], at: 4_800)
        rig.push(event: gst_event_new_eos())
        #expect(rig.outputs().samples == ramp(4_410))
    }

    /// The rest is pushed on the streaming thread, which must not allocate.
    @Test func theRestIsInAReservedBuffer() {
        let rig = Rig(transparent)
        for start in [0, 96_000, 48_000] { rig.push(ramp(4_800)[...], at: start) }
        rig.push(event: gst_event_new_eos())
        let outputs = rig.outputs()
        #expect(outputs.map(\.isOfPool) == [false, true, false, true, false, true])
        #expect(outputs.samples == ramp(4_800) + ramp(4_800) + ramp(4_800))
    }

    @Test func buffersWithoutTimestampsPlay() {
        let rig = Rig(transparent)
        for _ in 0..<4 { rig.push(ramp(1_000)[...], at: nil) }
        rig.push(event: gst_event_new_eos())
        let outputs = rig.outputs()
        #expect(outputs.samples.count == 4_000)
        #expect(outputs.allSatisfy { $0.pts == .max })
    }

    /// A downstream that has ended is no reason to refuse new caps.
    @Test func newCapsAreAcceptedAfterTheEndOfDownstream() {
        let rig = Rig(transparent)
        rig.push(ramp(4_800)[...], at: 0)
        let pad = gst_element_get_static_pad(rig.harness.subject.element, "src")
        defer { gst_object_unref(pad) }
        let probe: GstPadProbeCallback = { _, info, _ in
            gst_buffer_unref(info?.pointee.data?.assumingMemoryBound(to: GstBuffer.self))
            info?.pointee.ABI.abi.flow_ret = GST_FLOW_EOS
            return GST_PAD_PROBE_HANDLED
        }
        gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, probe, nil, nil)
        #expect(rig.harness.offer("audio/x-raw,format=F32LE,rate=44100,channels=2,layout=interleaved"))
        #expect(rig.push(ramp(4_410)[...], at: 4_800) == GST_FLOW_EOS)
    }

    /// A segment seek sends SEGMENT_DONE in place of EOS.
    @Test func theEndOfASegmentPushesTheRest() {
        let rig = Rig(transparent)
        rig.push(ramp(4_800)[...], at: 0)
        rig.push(event: gst_event_new_segment_done(GST_FORMAT_TIME, gint64(second / 10)))
        #expect(rig.outputs().samples == ramp(4_800))
    }

    /// In reverse, buffers come from the last to the first; each keeps its time and its sound.
    @Test(arguments: [4_800, 100])
    func soundInReverseKeepsItsTime(count: Int) {
        let rig = Rig(transparent)
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        (segment.rate, segment.stop, segment.position) = (-1, guint64(second), guint64(second))
        rig.push(event: gst_event_new_segment(&segment))
        for number in [3, 2, 1] {
            rig.push(ramp(count)[...], at: number * count, flags: GST_BUFFER_FLAG_DISCONT.rawValue)
            let outputs = rig.outputs()
            #expect(outputs.samples == ramp(count))
            #expect(outputs.map(\.pts) == [UInt64(number * count) * second / 48_000])
        }
        rig.push(event: gst_event_new_eos())
        #expect(rig.outputs().isEmpty)
    }

    /// A buffer of silence gets the noise of the tape, so it is no gap any more.
    @Test func gapBuffersHaveNoise() {
        let rig = Rig()
        rig.push([Float](repeating: 0, count: 9_600)[...], at: 0, flags: GST_BUFFER_FLAG_GAP.rawValue)
        let outputs = rig.outputs()
        #expect(outputs.allSatisfy { $0.flags & GST_BUFFER_FLAG_GAP.rawValue == 0 })
        #expect(outputs.samples.contains { abs($0) > 1e-3 })
    }

    @Test func emptyAndIncompleteBuffersDoNotTrap() {
        let rig = Rig(transparent)
        rig.push(ramp(480)[...], at: 0)
        #expect(rig.harness.push(newBuffer([], pts: second / 100)) == GST_FLOW_OK)
        #expect(rig.harness.push(newBuffer([1, 2, 3], pts: second / 100)) == GST_FLOW_OK)
        #expect(
            rig.harness.push(newBuffer([UInt8](repeating: 0, count: 8 * 480 + 5), pts: second / 100)) == GST_FLOW_OK)
        rig.push(event: gst_event_new_eos())
        #expect(rig.harness.subject.messages().isEmpty)
        // Sinks refuse incomplete frames.
        #expect(rig.outputs().allSatisfy { !$0.bytes.isEmpty && $0.bytes.count % Rig.bytesInFrame == 0 })
    }

    // MARK: Settings

    /// Buffers pass without a copy, and none of their sound is lost at the change.
    @Test func disabledSoundPassesUnchanged() {
        let rig = Rig(transparent)
        let input = ramp(19_200)
        for (index, enabled) in ["true", "false", "true", "false"].enumerated() {
            rig.harness.subject.set("enabled", enabled)
            rig.push(input[index * 4_800..<(index + 1) * 4_800], at: index * 4_800)
        }
        rig.push(event: gst_event_new_eos())
        #expect(rig.outputs().samples == input)
    }

    /// The sound that the delay line holds is pushed as from the old track; the new one begins after it.
    @Test func aChangeOfTheTrackLosesNoSound() {
        let rig = Rig(transparent)
        rig.push(ramp(4_800)[...], at: 0)
        rig.harness.subject.set("track", "hi-fi")
        rig.push(ramp(4_800)[...], at: 4_800)
        rig.push(event: gst_event_new_eos())
        let outputs = rig.outputs()
        #expect(Array(outputs.samples.prefix(4_800)) == ramp(4_800))
        #expect(outputs.samples.count == 9_600)
        #expect(outputs.contains { $0.pts == second / 10 })
    }

    @Test func theSizesOfBuffersDoNotMatter() {
        func played(_ size: Int) -> [Float] {
            let rig = Rig(["random-seed": "7", "linear-wow-flutter": "1", "snow-intensity": "1"])
            let input = ramp(24_000)
            for start in stride(from: 0, to: input.count, by: size) {
                rig.push(input[start..<min(start + size, input.count)], at: start)
            }
            rig.push(event: gst_event_new_eos())
            return rig.outputs().samples
        }
        let whole = played(24_000)
        #expect(whole.count == 24_000)
        for size in [479, 1_024, 5_000] { #expect(played(size) == whole, "\(size)") }
    }

    /// All properties but `enabled` and the frame rate are animated; no sound is lost meanwhile.
    @Test func everySettingFollowsAController() {
        let rig = Rig()
        let names = controllableProperties(of: rig.harness.subject)
        #expect(names.count > 30)
        for name in names where name != "enabled" { rig.harness.subject.animate(name, from: 0, to: 1) }
        for start in 0..<20 { #expect(rig.push(ramp(2_400)[...], at: start * 2_400) == GST_FLOW_OK) }
        rig.push(event: gst_event_new_eos())
        let samples = rig.outputs().samples
        #expect(samples.count == 48_000 && samples.allSatisfy { $0.isFinite })
    }

    @Test func theOffsetOfThePictureIsInNanoseconds() {
        func played(_ offset: String, at start: Int) -> [Float] {
            let rig = Rig([
                "track": "hi-fi", "hifi-noise": "-120", "head-switching-noise": "-120", "hifi-wow-flutter": "0",
                "drop-outs": "noise", "drop-out-level": "-120", "snow-intensity": "0.05", "video-offset": offset,
            ])
            rig.push(ramp(24_000)[...], at: start)
            rig.push(event: gst_event_new_eos())
            return rig.outputs().samples
        }
        let expected = played("0", at: 52_800)
        #expect(zip(played("100000000", at: 48_000), expected).allSatisfy { abs($0 - $1) < 1e-5 })
        #expect(zip(played("0", at: 48_000), expected).contains { abs($0 - $1) > 0.01 })
    }

    private func controllableProperties(of subject: TestElement) -> [String] {
        var count: guint = 0
        guard let list = g_object_class_list_properties(subject.objectClass, &count) else { return [] }
        defer { g_free(list) }
        return (0..<Int(count)).compactMap { list[$0] }
            .filter { $0.pointee.flags.rawValue & cgst_param_controllable().rawValue != 0 }
            .map { String(cString: $0.pointee.name) }
    }

    @Test(arguments: ["F32LE", "S16LE"], ["0.0001", "1e-30", "1"])
    func tinyLimitsOfTheBandPlay(format: String, limit: String) {
        let rig = Rig(
            ["high-cut": limit, "low-cut": limit, "linear-noise": "0"],
            caps: "audio/x-raw,format=\(format),rate=48000,channels=2,layout=interleaved")
        for start in 0..<10 {
            rig.push(ramp(4_800)[...], at: start * 4_800)
        }
        rig.push(event: gst_event_new_eos())
        #expect(!rig.outputs().isEmpty)
    }

    @Test(arguments: [
        "audio/x-raw,format=F32LE,rate=48000,channels=2,layout=non-interleaved",
        "audio/x-raw,format=S32LE,rate=48000,channels=2,layout=interleaved",
        "audio/x-raw,format=F32LE,rate=7999,channels=2,layout=interleaved",
        "audio/x-raw,format=F32LE,rate=48000,channels=9,layout=interleaved",
    ])
    func otherFormatsAreRefused(caps: String) {
        let rig = Rig(caps: nil)
        rig.push(event: gst_event_new_stream_start("test"))
        #expect(!rig.harness.offer(caps))
    }

    @Test(arguments: ["F32LE", "S16LE"], [(8_000, 1), (8_000, 8), (192_000, 2), (192_000, 8)])
    func everyFormatPlays(format: String, shape: (rate: Int, channels: Int)) {
        let (rate, channels) = shape
        let mask = channels == 8 ? ",channel-mask=(bitmask)0xc3f" : ""
        let caps = "audio/x-raw,format=\(format),rate=\(rate),channels=\(channels),layout=interleaved\(mask)"
        let rig = Rig(caps: caps)
        let size = rate * channels * (format == "F32LE" ? 4 : 2)
        #expect(rig.harness.push(newBuffer([UInt8](repeating: 0, count: size), pts: 0)) == GST_FLOW_OK)
        rig.push(event: gst_event_new_eos())
        let outputs = rig.outputs()
        #expect(outputs.reduce(0) { $0 + $1.bytes.count } == size)
        #expect(outputs.contains { $0.bytes.contains { $0 != 0 } })
    }
}
