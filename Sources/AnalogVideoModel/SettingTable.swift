extension SettingRow {
    /// All settings, in the order in which they are written to a preset file.
    public static let all: [SettingRow] = general + signal + transport + receiver + tape + scale

    private static let general: [SettingRow] = [
        .integer(
            "random_seed", \.randomSeed, in: .min ... .max,
            "Seed of all randomness; the same seed and frame always look the same"),
        .choice(
            "use_field", \.useField, "Which rows of a progressive frame make up a field; interlaced video ignores it"),
        .choice("filter_type", \.filterType, legacy: .constantK, "Shape of all low-pass filters in the signal path"),
    ]

    private static let signal: [SettingRow] = [
        .choice("input_luma_filter", \.inputLumaFilter, "Filter that clears the chroma band of luma before mixing"),
        .choice("chroma_lowpass_in", \.chromaLowpassIn, "Chroma bandwidth before it is mixed into the signal"),
        .real(
            "composite_preemphasis", \.compositePreemphasis, in: -1...2,
            "Sharpening of the composite signal; negative values blur"),
        .toggle("composite_noise", \.compositeNoise, "Adds noise to the composite signal, brightness and colour alike"),
        .real(
            "composite_noise_intensity", \.compositeNoiseIntensity, in: 0...1, legacy: 0,
            "How strong the noise on the composite signal is"),
        .real(
            "composite_noise_frequency", \.compositeNoiseFrequency, in: 0...1, legacy: 0.25,
            "How fine the composite noise is; higher is finer"),
        .integer(
            "composite_noise_detail", \.compositeNoiseDetail, in: 1...5,
            "Octaves of composite noise; each adds finer grain"),
        .real("snow_intensity", \.snowIntensity, in: 0...100, "How much of the picture is lost to snow, in percent"),
        .real(
            "snow_anisotropy", \.snowAnisotropy, in: 0...1,
            "Whether snow is spread evenly (0) or comes in whole rows (1)"),
        .choice(
            "video_scanline_phase_shift", \.videoScanlinePhaseShift,
            "How far the phase of the chroma carrier moves from row to row"),
        .integer(
            "video_scanline_phase_shift_offset", \.videoScanlinePhaseShiftOffset, in: 0...3,
            "Phase the chroma carrier starts with, in quarters of a period"),
        .choice("chroma_demodulation", \.chromaDemodulation, "How the receiver separates chroma from luma"),
        .real("luma_smear", \.lumaSmear, in: 0...1, legacy: 0, "How far bright areas smear to the right"),
    ]

    private static let transport: [SettingRow] = [
        .toggle("head_switching", \.headSwitching, "Tears rows sideways at the bottom, where the tape heads switch"),
        .integer(
            "head_switching_height", \.headSwitchingHeight, in: 0...24,
            "How many rows of a field head switching reaches"),
        .integer(
            "head_switching_offset", \.headSwitchingOffset, in: 0...24,
            "How many rows of head switching are hidden below the picture"),
        .real(
            "head_switching_horizontal_shift", \.headSwitchingHorizontalShift, in: -100...100,
            "How far head switching tears rows to the right, in pixels"),
        .toggle(
            "head_switching_start_mid_line", \.headSwitchingStartMidLine, legacy: false,
            "Lets head switching begin inside its first row, with a bright spike"),
        .real(
            "head_switching_mid_line_position", \.headSwitchingMidLinePosition, in: 0...1,
            "Where in its first row head switching begins: 0 is left, 1 is right"),
        .real(
            "head_switching_mid_line_jitter", \.headSwitchingMidLineJitter, in: 0...1,
            "How much the place where head switching begins varies, as a part of the row"),
        .toggle("tracking_noise", \.trackingNoise, "Adds noise at the bottom, as from heads that miss their track"),
        .integer(
            "tracking_noise_height", \.trackingNoiseHeight, in: 0...120,
            "How many rows of a field tracking noise reaches"),
        .real(
            "tracking_noise_wave_intensity", \.trackingNoiseWaveIntensity, in: -50...50,
            "How far tracking noise moves rows sideways"),
        .real(
            "tracking_noise_snow_intensity", \.trackingNoiseSnowIntensity, in: 0...1,
            "How much snow tracking noise brings"),
        .real(
            "tracking_noise_snow_anisotropy", \.trackingNoiseSnowAnisotropy, in: 0...1,
            "Whether the snow of tracking noise is spread evenly (0) or comes in whole rows (1)"),
        .real(
            "tracking_noise_noise_intensity", \.trackingNoiseNoiseIntensity, in: 0...1,
            "How strong the grain of tracking noise is"),
    ]

    private static let receiver: [SettingRow] = [
        .toggle("ringing", \.ringing, "Adds echoes beside sharp edges"),
        .real(
            "ringing_frequency", \.ringingFrequency, in: 0...1,
            "How close together the echoes of ringing are; higher is closer"),
        .real("ringing_power", \.ringingPower, in: 1...10, "How many echoes ringing has"),
        .real("ringing_scale", \.ringingScale, in: 0...10, "How strong the echoes of ringing are"),
        .toggle("luma_noise", \.lumaNoise, legacy: false, "Adds noise to brightness alone"),
        .real("luma_noise_intensity", \.lumaNoiseIntensity, in: 0...1, legacy: 0, "How strong the luma noise is"),
        .real(
            "luma_noise_frequency", \.lumaNoiseFrequency, in: 0...1, legacy: 0,
            "How fine the luma noise is; higher is finer"),
        .integer(
            "luma_noise_detail", \.lumaNoiseDetail, in: 1...5, legacy: 1,
            "Octaves of luma noise; each adds finer grain"),
        .toggle("chroma_noise", \.chromaNoise, "Adds noise to colour alone"),
        .real("chroma_noise_intensity", \.chromaNoiseIntensity, in: 0...1, legacy: 0, "How strong the chroma noise is"),
        .real(
            "chroma_noise_frequency", \.chromaNoiseFrequency, in: 0...0.5,
            "How fine the chroma noise is; higher is finer"),
        .integer(
            "chroma_noise_detail", \.chromaNoiseDetail, in: 1...5, legacy: 1,
            "Octaves of chroma noise; each adds finer grain"),
        .real(
            "chroma_phase_error", \.chromaPhaseError, in: 0...1,
            "Turns all hues, as a tint knob does; 1 is a full circle"),
        .real(
            "chroma_phase_noise_intensity", \.chromaPhaseNoiseIntensity, in: 0...1,
            "How far the hue of each row strays"),
        .real(
            "chroma_delay_horizontal", \.chromaDelayHorizontal, in: -40...40,
            "How far colour lies to the right of the picture, in pixels; negative is left"),
        .integer(
            "chroma_delay_vertical", \.chromaDelayVertical, in: -20...20,
            "How far colour lies below the picture, in rows of a field; negative is above"),
    ]

    private static let tape: [SettingRow] = [
        .toggle(
            "vhs_settings", \.vhsSettings,
            "Records the signal on a VHS tape; off disables all vhs properties but vhs-chroma-vert-blend"),
        .choice("vhs_tape_speed", \.vhsTapeSpeed, "Speed the tape was recorded at; slower keeps less detail"),
        .real("vhs_chroma_loss", \.vhsChromaLoss, in: 0...1, "Chance that a row loses its colour"),
        .toggle("vhs_sharpen_enabled", \.vhsSharpenEnabled, "Lets the recorder sharpen the picture"),
        .real("vhs_sharpen", \.vhsSharpen, in: 0...5, "How strongly the recorder sharpens"),
        .real(
            "vhs_sharpen_frequency", \.vhsSharpenFrequency, in: 0.5...4,
            "How fine the details are that the recorder sharpens; higher is finer"),
        .toggle("vhs_edge_wave_enabled", \.vhsEdgeWaveEnabled, "Lets rows sway sideways, so that upright edges wave"),
        .real("vhs_edge_wave", \.vhsEdgeWave, in: 0...20, "How far rows sway"),
        .real("vhs_edge_wave_speed", \.vhsEdgeWaveSpeed, in: 0...10, "How fast rows sway"),
        .real(
            "vhs_edge_wave_frequency", \.vhsEdgeWaveFrequency, in: 0...0.5,
            "How much the swaying of neighbouring rows differs; higher differs more"),
        .integer(
            "vhs_edge_wave_detail", \.vhsEdgeWaveDetail, in: 1...5, legacy: 1,
            "Octaves of the swaying; each makes edges rougher"),
        .toggle(
            "vhs_chroma_vert_blend", \.vhsChromaVertBlend, "Blends the colour of each row with that of the row above"),
        .choice("chroma_lowpass_out", \.chromaLowpassOut, "Chroma bandwidth at the end of the signal path"),
    ]

    private static let scale: [SettingRow] = [
        .toggle(
            "scale_settings", \.scaleSettings, "Whether bandwidth-scale, vertical-scale and scale-with-video-size count"
        ),
        .real(
            "bandwidth_scale", \.bandwidthScale, in: 0.125...8,
            "Stretches every effect along the row; 2 suits a picture twice as wide"),
        .real(
            "vertical_scale", \.verticalScale, in: 0.125...8.8,
            "Stretches every effect counted in rows; 2 suits a picture twice as high"),
        .toggle(
            "scale_with_video_size", \.scaleWithVideoSize,
            "Multiplies both scales by the height of the picture divided by 480"),
    ]
}
