extension SettingRow {
    /// Every setting, in the order a preset file is written in.
    public static let all: [SettingRow] = general + signal + transport + receiver + tape + scale

    private static let general: [SettingRow] = [
        .integer(
            "random_seed", \.randomSeed, in: .min ... .max,
            "Seed of all randomness; the same seed and frame always look the same"),
        .choice("use_field", \.useField, "Which rows of a progressive picture make up a field"),
        .choice("filter_type", \.filterType, legacy: .constantK, "Shape of all low-pass filters"),
    ]

    private static let signal: [SettingRow] = [
        .choice("input_luma_filter", \.inputLumaFilter, "Filter that clears the chroma band of luma before mixing"),
        .choice("chroma_lowpass_in", \.chromaLowpassIn, "Chroma bandwidth before it is mixed into the signal"),
        .real(
            "composite_preemphasis", \.compositePreemphasis, in: -1...2,
            "Sharpening of the composite signal; negative blurs"),
        .toggle("composite_noise", \.compositeNoise, "Noise on the composite signal"),
        .real(
            "composite_noise_intensity", \.compositeNoiseIntensity, in: 0...1, legacy: 0,
            "How strong the composite noise is"),
        .real(
            "composite_noise_frequency", \.compositeNoiseFrequency, in: 0...1, legacy: 0.25,
            "How fine the composite noise is; higher is finer"),
        .integer(
            "composite_noise_detail", \.compositeNoiseDetail, in: 1...5,
            "Octaves of composite noise; more adds finer grain"),
        .real("snow_intensity", \.snowIntensity, in: 0...100, "How much of the picture is lost to snow, in percent"),
        .real(
            "snow_anisotropy", \.snowAnisotropy, in: 0...1,
            "Whether snow is spread evenly (0) or comes in whole rows (1)"),
        .choice(
            "video_scanline_phase_shift", \.videoScanlinePhaseShift,
            "Phase shift of the chroma carrier from row to row"),
        .integer(
            "video_scanline_phase_shift_offset", \.videoScanlinePhaseShiftOffset, in: 0...3,
            "Phase the chroma carrier starts with, in quarters of a period"),
        .choice("chroma_demodulation", \.chromaDemodulation, "How the receiver separates chroma from luma"),
        .real("luma_smear", \.lumaSmear, in: 0...1, legacy: 0, "How far bright areas smear to the right"),
    ]

    private static let transport: [SettingRow] = [
        .toggle("head_switching", \.headSwitching, "Rows torn sideways at the bottom, where the tape heads switch"),
        .integer(
            "head_switching_height", \.headSwitchingHeight, in: 0...24, "Rows of a field that head switching reaches"),
        .integer(
            "head_switching_offset", \.headSwitchingOffset, in: 0...24,
            "Rows of head switching hidden below the picture"),
        .real(
            "head_switching_horizontal_shift", \.headSwitchingHorizontalShift, in: -100...100,
            "How far head switching tears rows to the right, in pixels"),
        .toggle(
            "head_switching_start_mid_line", \.headSwitchingStartMidLine, legacy: false,
            "Lets head switching begin inside a row, with a spike"),
        .real(
            "head_switching_mid_line_position", \.headSwitchingMidLinePosition, in: 0...1,
            "Where in the row head switching begins: 0 is left, 1 is right"),
        .real(
            "head_switching_mid_line_jitter", \.headSwitchingMidLineJitter, in: 0...1,
            "How much that place moves from frame to frame, as a part of the row"),
        .toggle("tracking_noise", \.trackingNoise, "Noise at the bottom, from heads that miss their track"),
        .integer(
            "tracking_noise_height", \.trackingNoiseHeight, in: 0...120, "Rows of a field that tracking noise reaches"),
        .real(
            "tracking_noise_wave_intensity", \.trackingNoiseWaveIntensity, in: -50...50,
            "How far tracking noise moves rows sideways, in pixels"),
        .real(
            "tracking_noise_snow_intensity", \.trackingNoiseSnowIntensity, in: 0...1,
            "How much snow tracking noise brings"),
        .real(
            "tracking_noise_snow_anisotropy", \.trackingNoiseSnowAnisotropy, in: 0...1,
            "Whether that snow is spread evenly (0) or comes in whole rows (1)"),
        .real(
            "tracking_noise_noise_intensity", \.trackingNoiseNoiseIntensity, in: 0...1,
            "How strong the grain of tracking noise is"),
    ]

    private static let receiver: [SettingRow] = [
        .toggle("ringing", \.ringing, "Echoes beside sharp edges"),
        .real(
            "ringing_frequency", \.ringingFrequency, in: 0...1, "How close together the echoes are; higher is closer"),
        .real("ringing_power", \.ringingPower, in: 1...10, "How many echoes there are"),
        .real("ringing_scale", \.ringingScale, in: 0...10, "How strong the echoes are"),
        .toggle("luma_noise", \.lumaNoise, legacy: false, "Noise on brightness alone"),
        .real("luma_noise_intensity", \.lumaNoiseIntensity, in: 0...1, legacy: 0, "How strong the luma noise is"),
        .real(
            "luma_noise_frequency", \.lumaNoiseFrequency, in: 0...1, legacy: 0,
            "How fine the luma noise is; higher is finer"),
        .integer(
            "luma_noise_detail", \.lumaNoiseDetail, in: 1...5, legacy: 1,
            "Octaves of luma noise; more adds finer grain"),
        .toggle("chroma_noise", \.chromaNoise, "Noise on colour alone"),
        .real("chroma_noise_intensity", \.chromaNoiseIntensity, in: 0...1, legacy: 0, "How strong the chroma noise is"),
        .real(
            "chroma_noise_frequency", \.chromaNoiseFrequency, in: 0...0.5,
            "How fine the chroma noise is; higher is finer"),
        .integer(
            "chroma_noise_detail", \.chromaNoiseDetail, in: 1...5, legacy: 1,
            "Octaves of chroma noise; more adds finer grain"),
        .real("chroma_phase_error", \.chromaPhaseError, in: 0...1, "Turns all hues; 1 is a full circle"),
        .real(
            "chroma_phase_noise_intensity", \.chromaPhaseNoiseIntensity, in: 0...1,
            "How much the hue of each row is off"),
        .real(
            "chroma_delay_horizontal", \.chromaDelayHorizontal, in: -40...40,
            "How far colour lies to the right of the picture, in pixels"),
        .integer(
            "chroma_delay_vertical", \.chromaDelayVertical, in: -20...20,
            "How far colour lies below the picture, in rows of a field"),
    ]

    private static let tape: [SettingRow] = [
        .toggle("vhs_settings", \.vhsSettings, "What a VHS tape does to the signal"),
        .choice("vhs_tape_speed", \.vhsTapeSpeed, "Speed the tape was recorded at; slower keeps less detail"),
        .real("vhs_chroma_loss", \.vhsChromaLoss, in: 0...1, "Chance that a row loses its colour"),
        .toggle("vhs_sharpen_enabled", \.vhsSharpenEnabled, "Sharpening by the recorder"),
        .real("vhs_sharpen", \.vhsSharpen, in: 0...5, "How strong the recorder sharpens"),
        .real(
            "vhs_sharpen_frequency", \.vhsSharpenFrequency, in: 0.5...4,
            "How fine the details are that it sharpens; higher is finer"),
        .toggle("vhs_edge_wave_enabled", \.vhsEdgeWaveEnabled, "Rows that sway sideways"),
        .real("vhs_edge_wave", \.vhsEdgeWave, in: 0...20, "How far rows sway, in pixels"),
        .real("vhs_edge_wave_speed", \.vhsEdgeWaveSpeed, in: 0...10, "How fast they sway"),
        .real(
            "vhs_edge_wave_frequency", \.vhsEdgeWaveFrequency, in: 0...0.5,
            "How much neighbouring rows differ; higher differs more"),
        .integer(
            "vhs_edge_wave_detail", \.vhsEdgeWaveDetail, in: 1...5, legacy: 1,
            "Octaves of the swaying; more looks rougher"),
        .toggle("vhs_chroma_vert_blend", \.vhsChromaVertBlend, "Blends the colour of each row with the row above"),
        .choice("chroma_lowpass_out", \.chromaLowpassOut, "Chroma bandwidth at the end of the signal path"),
    ]

    private static let scale: [SettingRow] = [
        .toggle("scale_settings", \.scaleSettings, "Whether the scales below count"),
        .real(
            "bandwidth_scale", \.bandwidthScale, in: 0.125...8,
            "Stretches everything horizontal; 2 suits a picture twice as wide"),
        .real(
            "vertical_scale", \.verticalScale, in: 0.125...8.8,
            "Stretches everything counted in rows; 2 suits a picture twice as high"),
        .toggle(
            "scale_with_video_size", \.scaleWithVideoSize, "Scales both with the height of the picture, 480 being 1"),
    ]
}
