import AnalogVideoModel
import SignalSupport
import Testing

/// The expected values were derived by hand from docs/NTSC.md, "Presets of ntscQT".
struct NTSCQTPresetTests {
    static let example = """
        {"_composite_preemphasis": 1.5, "_vhs_out_sharpen": 2, "_vhs_edge_wave": 3, "_output_vhs_tape_speed": 2,
         "_ringing": 1.5, "_ringing_power": 7, "_ringing_shift": 0.4, "_enable_ringing2": true,
         "_color_bleed_horiz": 5, "_color_bleed_vert": -2, "_video_chroma_noise": 4096,
         "_video_chroma_phase_noise": 20, "_video_chroma_loss": 250, "_video_noise": 500,
         "_video_scanline_phase_shift": 270, "_video_scanline_phase_shift_offset": 3, "_head_switching_speed": 0,
         "_vhs_head_switching": true, "_color_bleed_before": true, "_composite_in_chroma_lowpass": true,
         "_composite_out_chroma_lowpass": true, "_composite_out_chroma_lowpass_lite": true,
         "_emulating_vhs": true, "_vhs_chroma_vert_blend": true, "_vhs_svideo_out": false, "_black_line_cut": 2}
        """

    @Test func everyKeyIsConverted() throws {
        let settings = try NTSCSettings(presetJSON: Self.example)
        var expected = NTSCSettings()
        expected.useField = .upper
        expected.filterType = .constantK
        expected.inputLumaFilter = .box
        expected.chromaLowpassIn = .full
        expected.chromaDemodulation = .box
        expected.lumaSmear = 0
        expected.compositePreemphasis = 1.5
        expected.videoScanlinePhaseShift = .degrees270
        expected.videoScanlinePhaseShiftOffset = 3
        expected.headSwitchingHeight = 6
        expected.headSwitchingOffset = 0
        expected.headSwitchingHorizontalShift = 6
        expected.headSwitchingStartMidLine = false
        expected.trackingNoise = false
        expected.compositeNoiseFrequency = 0.1
        expected.compositeNoiseDetail = 3
        expected.compositeNoiseIntensity = 0.01
        expected.ringingFrequency = 0.55
        expected.ringingPower = 6
        expected.ringingScale = 0.7
        expected.lumaNoise = false
        expected.chromaNoiseFrequency = 0.2
        expected.chromaNoiseDetail = 1
        expected.chromaNoiseIntensity = 0.1
        expected.snowIntensity = 0
        expected.chromaPhaseNoiseIntensity = 0.1
        expected.chromaDelayHorizontal = 5
        expected.chromaDelayVertical = -2
        expected.chromaDelayPosition = .input
        expected.blackLineCut = 0.017
        expected.ycRecombinations = 1
        expected.vhsTapeSpeed = .ep
        expected.vhsChromaLoss = 0.0025
        expected.vhsSharpen = 2
        expected.vhsSharpenFrequency = 1
        expected.vhsEdgeWave = 1.5
        expected.vhsEdgeWaveSpeed = 10
        expected.vhsEdgeWaveFrequency = 0.125
        expected.vhsEdgeWaveDetail = 3
        expected.vhsChromaVertBlend = true
        expected.chromaLowpassOut = .light
        expected.scaleSettings = false
        for row in SettingRow.all {
            // A product such as 7 * 0.1 can be rounded differently from the decimal 0.7.
            #expect(abs(row.value(in: settings) - row.value(in: expected)) < 1e-7, "\(row.key)")
        }
    }

    @Test func aBlackAndWhiteSetHasNoDemodulation() throws {
        let text = #"{"_composite_preemphasis": 0, "_nocolor_subcarrier": true}"#
        #expect(try NTSCSettings(presetJSON: text).chromaDemodulation == .none)
    }

    @Test(arguments: [(nil, 0), (true, 1), (false, 2)] as [(Bool?, Int32)])
    func colourBleedsBeforeOrAfter(isBefore: Bool?, position: Int32) throws {
        let key = isBefore.map { ", \"_color_bleed_before\": \($0)" } ?? ""
        let settings = try NTSCSettings(presetJSON: "{\"_composite_preemphasis\": 0\(key)}")
        #expect(settings.chromaDelayPosition.rawValue == position)
    }

    /// A recorder recombines luma and chroma for its composite output, but not for S-Video.
    @Test(arguments: [(false, false, 0), (false, true, 0), (true, false, 1), (true, true, 0)] as [(Bool, Bool, Int32)])
    func onlyATapeWithoutSVideoIsRecombined(isTape: Bool, isSVideo: Bool, expected: Int32) throws {
        let settings = try NTSCSettings(
            presetJSON: """
                {"_composite_preemphasis": 0, "_emulating_vhs": \(isTape), "_vhs_svideo_out": \(isSVideo)}
                """)
        #expect(settings.ycRecombinations == expected)
    }

    /// ntscQT blends rows only in NTSC.
    @Test(arguments: [(nil, true), (true, true), (false, false)] as [(Bool?, Bool)])
    func outputOfNTSCBlendsRows(isNTSC: Bool?, blends: Bool) throws {
        let key = isNTSC.map { ", \"_output_ntsc\": \($0)" } ?? ""
        let settings = try NTSCSettings(
            presetJSON: "{\"_composite_preemphasis\": 0, \"_vhs_chroma_vert_blend\": true\(key)}")
        #expect(settings.vhsChromaVertBlend == blends)
    }

    /// No key that ntscQT writes is unknown, so none causes a warning.
    @Test func everyKeyOfNTSCQTIsKnown() throws {
        let text = #"{"_composite_preemphasis": 0, "_head_switching_speed": 37, "_freq_noise_size": 0.5}"#
        #expect(try Preset(json: Array(text.utf8)).unknownKeys.isEmpty)
    }

    @Test func missingKeysAreZeroOrFalse() throws {
        let settings = try NTSCSettings(presetJSON: #"{"_composite_preemphasis": -0.5}"#)
        #expect(settings.compositePreemphasis == -0.5)
        #expect(settings.chromaLowpassIn == .none && settings.chromaLowpassOut == .none)
        #expect(settings.videoScanlinePhaseShift == .degrees0)
        #expect(!settings.headSwitching && !settings.vhsSettings && !settings.vhsChromaVertBlend)
        #expect(settings.vhsTapeSpeed == .sp)
        #expect(settings.ringing && settings.ringingFrequency == 0 && settings.ringingPower == 5)
        #expect(settings.compositeNoise && settings.compositeNoiseIntensity == 0)
        #expect(settings.blackLineCut == 0 && settings.chromaDelayPosition == .receiver)
        #expect(settings.ycRecombinations == 0 && settings.chromaDemodulation == .box)
    }

    @Test func firstRingingIsUsedIfTheSecondIsOff() throws {
        let settings = try NTSCSettings(
            presetJSON: Self.example.replacing("ringing2\": true", with: "ringing2\": false"))
        #expect(settings.ringingFrequency == 0.5)
        #expect(settings.ringingPower == 5)
        #expect(settings.ringingScale == 2)
    }

    @Test(arguments: [(false, false, 0), (true, false, 2), (false, true, 0), (true, true, 1)])
    func lightLowpassRequiresBothKeys(full: Bool, lite: Bool, expected: Int32) throws {
        let settings = try NTSCSettings(
            presetJSON: """
                {"_composite_preemphasis": 0, "_composite_out_chroma_lowpass": \(full),
                 "_composite_out_chroma_lowpass_lite": \(lite)}
                """)
        #expect(settings.chromaLowpassOut.rawValue == expected)
    }

    @Test(arguments: [(0, 1), (1, 2), (2, 3), (3, 1)])
    func tapeSpeedNumbersAreConverted(theirs: Int, ours: Int32) throws {
        let text = "{\"_composite_preemphasis\": 0, \"_output_vhs_tape_speed\": \(theirs)}"
        #expect(try NTSCSettings(presetJSON: text).vhsTapeSpeed.rawValue == ours)
    }

    @Test func numbersAndBooleansAreInterchangeable() throws {
        let settings = try NTSCSettings(
            presetJSON: #"{"_composite_preemphasis": true, "_emulating_vhs": 1, "_vhs_head_switching": 0.0}"#)
        #expect(settings.compositePreemphasis == 1)
        #expect(settings.vhsSettings)
        #expect(!settings.headSwitching)
    }

    @Test func extremeNumbersAreClamped() throws {
        let settings = try NTSCSettings(
            presetJSON: #"{"_composite_preemphasis": 1e300, "_color_bleed_vert": -1e300, "_video_noise": 1e9}"#)
        #expect(settings.compositePreemphasis == 2)
        #expect(settings.chromaDelayVertical == -20)
        #expect(settings.compositeNoiseIntensity == 1)
    }

    @Test(arguments: [
        (#""_video_noise": "high""#, #""_video_noise" is "high", but must be a number"#),
        (#""_emulating_vhs": null"#, #""_emulating_vhs" is null, but must be true or false"#),
        (#""_ringing": 1e999"#, #""_ringing" is not a readable number, but must be a number"#),
    ])
    func errorsContainTheKey(members: String, message: String) {
        let error = #expect(throws: PresetError.self) {
            try NTSCSettings(presetJSON: "{\"_composite_preemphasis\": 1, \(members)}")
        }
        #expect(error?.description == message)
    }
}
