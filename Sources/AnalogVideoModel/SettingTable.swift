extension SettingRow {
    /// All settings, in the order of a preset file.
    public static let all: [SettingRow] = general + signal + reception + transport + receiver + tape + scale

    private static let general: [SettingRow] = [
        .integer(
            "random_seed", \.randomSeed, in: .min ... .max,
            "Seed of the random numbers; a frame with the same seed and frame number always has the same noise"),
        .choice("standard", \.standard, isOwn: true, "Television standard of the signal"),
        .choice(
            "use_field", \.useField,
            "Rows of a progressive frame that are processed as one field; not used for interlaced video"),
        .choice("filter_type", \.filterType, legacy: .constantK, "Type of all low-pass filters in the signal path"),
    ]

    private static let signal: [SettingRow] = [
        .choice(
            "input_luma_filter", \.inputLumaFilter,
            "Filter that removes luma from the chroma band before chroma is added"),
        .choice("chroma_lowpass_in", \.chromaLowpassIn, "Bandwidth of chroma before it is added to luma"),
        .real(
            "black_line_cut", \.blackLineCut, in: 0...0.25, isOwn: true,
            "Width of a black edge at the right of the input, as a fraction of the row (0 = none)"),
        .real(
            "composite_preemphasis", \.compositePreemphasis, in: -1...2,
            "Sharpening of the composite signal (0 = off, negative values blur)"),
        .toggle(
            "composite_noise", \.compositeNoise,
            "Adds noise to the composite signal, which becomes noise in both luma and chroma"),
        .real(
            "composite_noise_intensity", \.compositeNoiseIntensity, in: 0...1, legacy: 0,
            "Strength of the composite noise (0 = none, 1 = strongest)"),
        .real(
            "composite_noise_frequency", \.compositeNoiseFrequency, in: 0...1, legacy: 0.25,
            "Frequency of the composite noise, in noise cells per sample; higher values give finer grain"),
        .integer(
            "composite_noise_detail", \.compositeNoiseDetail, in: 1...5,
            "Number of octaves of the composite noise; each octave adds finer grain"),
        .real("snow_intensity", \.snowIntensity, in: 0...100, "Amount of snow, in percent (0 = none)"),
        .real(
            "snow_anisotropy", \.snowAnisotropy, in: 0...1,
            "Distribution of snow over the rows (0 = even, 1 = concentrated in single rows)"),
        .choice(
            "snow_model", \.snowModel, isOwn: true,
            "Kind of snow; with reception, snow-intensity is the part of noise in the level of the receiver"),
        .choice(
            "video_scanline_phase_shift", \.videoScanlinePhaseShift,
            "Phase shift of the chroma carrier from one row to the next; NTSC only"),
        .integer(
            "video_scanline_phase_shift_offset", \.videoScanlinePhaseShiftOffset, in: 0...3,
            "Phase offset of the chroma carrier, in quarters of a period; no effect if the phase shift is 0 degrees"),
        .choice(
            "chroma_demodulation", \.chromaDemodulation, "Filter with which the receiver separates chroma from luma"),
        .choice("pal_decoder", \.palDecoder, isOwn: true, "Decoder of the receiver; PAL only"),
        .real(
            "luma_smear", \.lumaSmear, in: 0...1, legacy: 0, "Smear of luma to the right (0 = none, 1 = most)"),
    ]

    private static let reception: [SettingRow] = [
        .real(
            "ghost_level", \.ghostLevel, in: 0...0.9, isOwn: true,
            "Level of a reflection, relative to the signal (0 = none): a second picture to the right"),
        .real("ghost_delay", \.ghostDelay, in: 0...10, isOwn: true, "Delay of the reflection, in microseconds"),
        .real(
            "ghost_phase", \.ghostPhase, in: 0...1, isOwn: true,
            "Phase of the reflection, in turns (0 = bright, 0.5 = dark, 0.25 and 0.75 = edges only)"),
        .real(
            "co_channel_level", \.coChannelLevel, in: 0...1, isOwn: true,
            "Level of a second station in the channel, relative to the first (0 = none): bars across the picture"),
        .real(
            "co_channel_offset", \.coChannelOffset, in: 0...20000, isOwn: true,
            "Distance of the carriers of both stations, in hertz; lower values give wider bars"),
        .real(
            "horizontal_hold", \.horizontalHold, in: -4...4, isOwn: true,
            "Detuning of the line oscillator (0 = centred; beyond 1 or -1 the picture tears)"),
        .real(
            "vertical_hold", \.verticalHold, in: -4...4, isOwn: true,
            "Detuning of the field oscillator (0 = centred; beyond 1 or -1 the picture rolls)"),
        .real(
            "sync_noise", \.syncNoise, in: 0...2, isOwn: true,
            "Noise of the synchronization pulses, relative to their height (0 = none): rows jitter, the picture jumps"),
    ]

    private static let transport: [SettingRow] = [
        .toggle(
            "head_switching", \.headSwitching,
            "Shifts the last rows of each field sideways, where the recorder switches between its video heads"),
        .integer(
            "head_switching_height", \.headSwitchingHeight, in: 0...24,
            "Number of rows of a field that head switching affects, including hidden ones (0 = none)"),
        .integer(
            "head_switching_offset", \.headSwitchingOffset, in: 0...24,
            "Number of rows affected by head switching that are hidden below the picture"),
        .real(
            "head_switching_horizontal_shift", \.headSwitchingHorizontalShift, in: -100...100,
            "Maximum shift by head switching, in pixels (positive values = right, negative values = left)"),
        .toggle(
            "head_switching_start_mid_line", \.headSwitchingStartMidLine, legacy: false,
            "Starts head switching inside its first row, with a bright spike at the start"),
        .real(
            "head_switching_mid_line_position", \.headSwitchingMidLinePosition, in: 0...1,
            "Position in the first row at which head switching starts (0 = left edge, 1 = right edge)"),
        .real(
            "head_switching_mid_line_jitter", \.headSwitchingMidLineJitter, in: 0...1,
            "Random variation of head-switching-mid-line-position, as a fraction of the row (0 = none)"),
        .toggle(
            "tracking_noise", \.trackingNoise,
            "Shifts the last rows of each field and adds noise, as when the video heads miss their track"),
        .integer(
            "tracking_noise_height", \.trackingNoiseHeight, in: 0...120,
            "Number of rows of a field that tracking noise affects (0 = none)"),
        .real(
            "tracking_noise_wave_intensity", \.trackingNoiseWaveIntensity, in: -50...50,
            "Strength of the sideways shift by tracking noise (0 = none, negative values mirror the shift)"),
        .real(
            "tracking_noise_snow_intensity", \.trackingNoiseSnowIntensity, in: 0...1,
            "Amount of snow in the rows of tracking noise (0 = none, 1 = most)"),
        .real(
            "tracking_noise_snow_anisotropy", \.trackingNoiseSnowAnisotropy, in: 0...1,
            "Distribution of snow over the rows of tracking noise (0 = even, 1 = concentrated in single rows)"),
        .real(
            "tracking_noise_noise_intensity", \.trackingNoiseNoiseIntensity, in: 0...1,
            "Strength of the grain in the rows of tracking noise (0 = none, 1 = strongest)"),
        .toggle(
            "burst_lock", \.burstLock, isOwn: true,
            "Shifts rows by whole periods of the chroma carrier, so head switching and tracking noise keep the hue"),
    ]

    private static let receiver: [SettingRow] = [
        .toggle("ringing", \.ringing, "Adds damped oscillations (ringing) beside sharp edges"),
        .real(
            "ringing_frequency", \.ringingFrequency, in: 0...1,
            "Frequency of ringing, in units of half the sample rate (0 = invalid, gives a white picture)"),
        .real(
            "ringing_power", \.ringingPower, in: 1...10,
            "Quality factor of the ringing filter; higher values give more oscillations beside an edge"),
        .real("ringing_scale", \.ringingScale, in: 0...10, "Strength of ringing (0 = none, 10 = strongest)"),
        .toggle("luma_noise", \.lumaNoise, legacy: false, "Adds noise to luma only"),
        .real(
            "luma_noise_intensity", \.lumaNoiseIntensity, in: 0...1, legacy: 0,
            "Strength of the luma noise (0 = none, 1 = strongest)"),
        .real(
            "luma_noise_frequency", \.lumaNoiseFrequency, in: 0...1, legacy: 0,
            "Frequency of the luma noise, in noise cells per sample; higher values give finer grain"),
        .integer(
            "luma_noise_detail", \.lumaNoiseDetail, in: 1...5, legacy: 1,
            "Number of octaves of the luma noise; each octave adds finer grain"),
        .toggle("chroma_noise", \.chromaNoise, "Adds noise to chroma only"),
        .real(
            "chroma_noise_intensity", \.chromaNoiseIntensity, in: 0...1, legacy: 0,
            "Strength of the chroma noise (0 = none, 1 = strongest)"),
        .real(
            "chroma_noise_frequency", \.chromaNoiseFrequency, in: 0...0.5,
            "Frequency of the chroma noise, in noise cells per sample; higher values give finer grain"),
        .integer(
            "chroma_noise_detail", \.chromaNoiseDetail, in: 1...5, legacy: 1,
            "Number of octaves of the chroma noise; each octave adds finer grain"),
        .real(
            "chroma_phase_error", \.chromaPhaseError, in: 0...1,
            "Phase error of the chroma carrier, in turns (0 = none, 1 = full circle); in NTSC it rotates all hues"),
        .real(
            "chroma_phase_noise_intensity", \.chromaPhaseNoiseIntensity, in: 0...1,
            "Maximum random rotation of the hue of each row, in turns (0 = none)"),
        .real(
            "chroma_delay_horizontal", \.chromaDelayHorizontal, in: -40...40,
            "Shift of chroma relative to luma, in pixels (positive values = right, negative values = left)"),
        .integer(
            "chroma_delay_vertical", \.chromaDelayVertical, in: -20...20,
            "Shift of chroma relative to luma, in rows of a field (positive values = down, negative values = up)"),
        .choice(
            "chroma_delay_position", \.chromaDelayPosition, isOwn: true,
            "Place in the signal path at which chroma-delay-horizontal shifts chroma"),
    ]

    private static let tape: [SettingRow] = [
        .toggle(
            "vhs_settings", \.vhsSettings,
            "Simulates a VHS tape; false disables all vhs properties except vhs-chroma-vert-blend"),
        .choice("vhs_tape_speed", \.vhsTapeSpeed, "Tape speed of the recording; slower speeds keep less detail"),
        .real(
            "vhs_chroma_loss", \.vhsChromaLoss, in: 0...1,
            "Probability that a row loses its chroma (0 = never, 1 = always)"),
        .toggle(
            "vhs_sharpen_enabled", \.vhsSharpenEnabled,
            "Sharpens luma as a VHS recorder does; no effect if vhs-tape-speed is none"),
        .real(
            "vhs_sharpen", \.vhsSharpen, in: 0...5, "Strength of the recorder's sharpening (0 = none, 5 = strongest)"),
        .real(
            "vhs_sharpen_frequency", \.vhsSharpenFrequency, in: 0.5...4,
            "Frequency above which the recorder sharpens, relative to the luma bandwidth of the tape speed"),
        .toggle(
            "vhs_edge_wave_enabled", \.vhsEdgeWaveEnabled,
            "Shifts rows sideways by varying amounts, so that vertical edges become wavy"),
        .real(
            "vhs_edge_wave", \.vhsEdgeWave, in: 0...20, "Approximate amplitude of the edge wave, in pixels (0 = none)"),
        .real(
            "vhs_edge_wave_speed", \.vhsEdgeWaveSpeed, in: 0...10,
            "Speed at which the edge wave changes (0 = the same in all frames, 10 = fastest)"),
        .real(
            "vhs_edge_wave_frequency", \.vhsEdgeWaveFrequency, in: 0...0.5,
            "Frequency of the edge wave, in noise cells per row; with higher values neighbouring rows differ more"),
        .integer(
            "vhs_edge_wave_detail", \.vhsEdgeWaveDetail, in: 1...5, legacy: 1,
            "Number of octaves of the edge wave; each octave makes edges rougher"),
        .toggle(
            "vhs_chroma_vert_blend", \.vhsChromaVertBlend,
            "Blends the chroma of each row with that above (in PAL two rows above), also if vhs-settings is false"),
        .integer(
            "yc_recombinations", \.ycRecombinations, in: 0...8, isOwn: true,
            "Number of times that luma and chroma are combined and separated again after the tape (0 = S-Video)"),
        .integer(
            "generations", \.generations, in: 1...NTSCSettings.mostGenerations, isOwn: true,
            "Number of recordings, one from the other; more than 1 requires vhs-settings"),
        .choice("chroma_lowpass_out", \.chromaLowpassOut, "Bandwidth of chroma at the end of the signal path"),
    ]

    private static let scale: [SettingRow] = [
        .toggle(
            "scale_settings", \.scaleSettings,
            "Applies bandwidth-scale, vertical-scale and scale-with-video-size; false ignores them"),
        .real(
            "bandwidth_scale", \.bandwidthScale, in: 0.125...8,
            "Horizontal scale of all effects (1 is for 640x480, or 768x576 in PAL and SECAM; 2 for one twice as wide)"),
        .real(
            "vertical_scale", \.verticalScale, in: 0.125...8.8,
            "Vertical scale of all effects (1 is for 640x480, or 768x576 in PAL and SECAM; 2 for one twice as high)"),
        .toggle(
            "scale_with_video_size", \.scaleWithVideoSize,
            "Multiplies bandwidth-scale and vertical-scale by the picture height divided by 480 (PAL, SECAM: 576)"),
    ]
}
