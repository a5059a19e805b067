internal import JSON

/// A preset of ntscQT, the origin of this effect; docs/NTSC.md, "Presets of ntscQT", describes its keys.
///
/// ntscQT is a Python program, in which `True` equals 1. Therefore Booleans are accepted for numbers, and numbers for
/// Booleans. A missing key means 0, false or the tape speed SP. Values are clamped to the ranges of the settings.
struct NTSCQTPreset {
    /// Key that identifies presets of ntscQT.
    static let mark = "_composite_preemphasis"

    /// Keys that ntscQT writes.
    static let keys: Set<String> = [
        mark, "_color_bleed_horiz", "_color_bleed_vert", "_composite_in_chroma_lowpass",
        "_composite_out_chroma_lowpass", "_composite_out_chroma_lowpass_lite", "_emulating_vhs", "_enable_ringing2",
        "_output_vhs_tape_speed", "_ringing", "_ringing_power", "_ringing_shift", "_vhs_chroma_vert_blend",
        "_vhs_edge_wave", "_vhs_head_switching", "_vhs_out_sharpen", "_video_chroma_loss", "_video_chroma_noise",
        "_video_chroma_phase_noise", "_video_noise", "_video_scanline_phase_shift",
        "_video_scanline_phase_shift_offset",
        "_black_line_cut", "_color_bleed_before", "_nocolor_subcarrier", "_output_ntsc", "_vhs_svideo_out",
        // Keys without a corresponding setting, which are ignored.
        "_composite_preemphasis_cut", "_freq_noise_amplitude", "_freq_noise_size", "_head_switching_speed",
        "_subcarrier_amplitude", "_subcarrier_amplitude_back", "_vhs_head_switching_phase",
        "_vhs_head_switching_phase_noise", "_vhs_head_switching_point",
    ]

    private let object: PresetObject

    init(_ object: PresetObject) { self.object = object }

    func settings() throws(PresetError) -> NTSCSettings {
        var settings = NTSCSettings()
        settings.useField = .upper
        settings.filterType = .constantK
        try readSignal(into: &settings)
        try readReceiver(into: &settings)
        try readTape(into: &settings)
        settings.scaleSettings = false
        for row in SettingRow.all { row.store(row.value(in: settings), in: &settings) }
        return settings
    }

    private func readSignal(into settings: inout NTSCSettings) throws(PresetError) {
        settings.inputLumaFilter = .box
        settings.chromaLowpassIn = try flag("_composite_in_chroma_lowpass") ? .full : .none
        settings.chromaDemodulation = try flag("_nocolor_subcarrier") ? .none : .box
        settings.blackLineCut = try flag("_black_line_cut") ? 0.017 : 0
        settings.lumaSmear = 0
        settings.compositePreemphasis = Float(try number(Self.mark))
        settings.videoScanlinePhaseShift =
            switch try number("_video_scanline_phase_shift") {
            case 90: .degrees90
            case 180: .degrees180
            case 270: .degrees270
            default: .degrees0
            }
        settings.videoScanlinePhaseShiftOffset = try whole("_video_scanline_phase_shift_offset")
        settings.compositeNoise = true
        settings.compositeNoiseFrequency = 0.1
        settings.compositeNoiseDetail = 3
        settings.compositeNoiseIntensity = Float(try number("_video_noise")) / 50_000
        settings.snowIntensity = 0
    }

    private func readReceiver(into settings: inout NTSCSettings) throws(PresetError) {
        settings.ringing = true
        if try flag("_enable_ringing2") {
            settings.ringingFrequency = Float(try number("_ringing_shift")) * 0.75 + 0.25
            settings.ringingPower = 6
            settings.ringingScale = Float(try number("_ringing_power")) * 0.1
        } else {
            settings.ringingFrequency = Float(try number("_ringing")) / 3
            settings.ringingPower = 5
            settings.ringingScale = 2
        }
        settings.lumaNoise = false
        settings.chromaNoise = true
        settings.chromaNoiseFrequency = 0.2
        settings.chromaNoiseDetail = 1
        settings.chromaNoiseIntensity = Float(try number("_video_chroma_noise") * (0.4 / 16_384))
        settings.chromaPhaseError = 0
        settings.chromaPhaseNoiseIntensity = Float(try number("_video_chroma_phase_noise") * 0.005)
        settings.chromaDelayHorizontal = Float(try number("_color_bleed_horiz"))
        settings.chromaDelayVertical = try whole("_color_bleed_vert")
        settings.chromaDelayPosition =
            try flag("_color_bleed_before") ? .input : object["_color_bleed_before"] == nil ? .receiver : .output
        settings.chromaLowpassOut =
            switch (try flag("_composite_out_chroma_lowpass"), try flag("_composite_out_chroma_lowpass_lite")) {
            case (true, true): .light
            case (true, false): .full
            default: .none
            }
    }

    private func readTape(into settings: inout NTSCSettings) throws(PresetError) {
        settings.headSwitching = try flag("_vhs_head_switching")
        settings.headSwitchingHeight = 6
        settings.headSwitchingOffset = 0
        settings.headSwitchingHorizontalShift = 6
        settings.headSwitchingStartMidLine = false
        settings.trackingNoise = false
        settings.vhsSettings = try flag("_emulating_vhs")
        settings.vhsTapeSpeed =
            switch try number("_output_vhs_tape_speed") {
            case 1: .lp
            case 2: .ep
            default: .sp
            }
        settings.vhsChromaLoss = Float(try number("_video_chroma_loss") / 100_000)
        settings.vhsSharpenEnabled = true
        settings.vhsSharpen = Float(try number("_vhs_out_sharpen"))
        settings.vhsSharpenFrequency = 1
        settings.vhsEdgeWaveEnabled = true
        settings.vhsEdgeWave = Float(try number("_vhs_edge_wave") * 0.5)
        settings.vhsEdgeWaveSpeed = 10
        settings.vhsEdgeWaveFrequency = 0.125
        settings.vhsEdgeWaveDetail = 3
        let isNTSC = try flag("_output_ntsc", default: true)
        settings.vhsChromaVertBlend = try flag("_vhs_chroma_vert_blend") ? isNTSC : false
        // The recorder has a composite output only if the key says so.
        settings.ycRecombinations = try flag("_vhs_svideo_out", default: true) || !settings.vhsSettings ? 0 : 1
    }
}

// MARK: - Reading keys

extension NTSCQTPreset {
    private func number(_ key: String) throws(PresetError) -> Double {
        switch object[key] {
        case nil: return 0
        case .number(let number) where number.double != nil: return number.double ?? 0
        case .bool(let value): return value ? 1 : 0
        case .some(let other): throw PresetError(key: key, expected: "a number", found: other.shown)
        }
    }

    /// A whole number, truncated and clamped to the range of `Int32`.
    private func whole(_ key: String) throws(PresetError) -> Int32 {
        let value = try number(key)
        return Int32(min(max(value, Double(Int32.min)), Double(Int32.max)))
    }

    private func flag(_ key: String, default missing: Bool = false) throws(PresetError) -> Bool {
        switch object[key] {
        case nil: return missing
        case .bool(let value): return value
        case .number(let number) where number.double != nil: return number.double != 0
        case .some(let other): throw PresetError(key: key, expected: "true or false", found: other.shown)
        }
    }
}
