import AnalogVideoModel

/// A preset that comes with the plugin.
package struct Look: Sendable {
    /// Name in `kebab-case`, because `gst_parse_launch` accepts no quotes in `@preset=worn-tape`.
    package let name: String
    /// Description of the picture, for users.
    package let comment: String
    /// Settings of the preset.
    package let settings: NTSCSettings

    private init(_ name: String, _ comment: String, change: (inout NTSCSettings) -> Void) {
        self.name = name
        self.comment = comment
        var settings = NTSCSettings()
        // Without this setting, most effects are invisible in high definition.
        settings.scaleWithVideoSize = true
        // Preemphasis amplifies the carrier of the composite signal. The default of 1 multiplies the mean chroma of the
        // golden frames of `ReferenceLookTests` by 1.4.
        settings.compositePreemphasis = 0
        // No preset sets `chromaDelayHorizontal`, because its displacement grows with the square of the size. 7 pixels
        // at 480 rows would be 142 pixels at 2160 rows.
        change(&settings)
        self.settings = settings
    }
}

// MARK: - Broadcast and cable

extension Look {
    /// The presets for broadcast and cable, then those for tapes, each from clean to distorted, those of PAL and SECAM,
    /// and those of a bad reception.
    package static let all = live + tapes + pal + secam + reception

    private static let live: [Look] = [
        Look("sharp-monitor", "A studio monitor on a composite cable: fine detail, faint dots beside strong colours") {
            $0.removeTape()
            $0.chromaDemodulation = .twoLineComb
            // A comb filter separates luma and chroma by rows, so no filter along the row is required.
            $0.inputLumaFilter = .none
            $0.chromaLowpassOut = .light
            $0.lumaSmear = 0
            $0.ringing = false
            $0.compositeNoiseIntensity = 0.005
            $0.chromaNoiseIntensity = 0.01
            $0.chromaPhaseNoiseIntensity = 0
        },
        Look("broadcast", "A strong station on a good set: soft colour, slight ringing, hardly any noise") {
            $0.removeTape()
            $0.compositeNoiseIntensity = 0.02
            $0.chromaNoiseIntensity = 0.06
            $0.lumaSmear = 0
            // Weaker, longer and fewer oscillations than the default.
            $0.ringingScale = 2
            $0.ringingFrequency = 0.25
            $0.ringingPower = 3
            // Gradual filters blur and delay colour, so that colour is slightly too far right at all sizes.
            $0.filterType = .constantK
            $0.chromaLowpassOut = .light
        },
        Look("snowy-antenna", "A distant station: snow, grain and unsteady colour") {
            $0.removeTape()
            $0.snowIntensity = 3
            // Interference of radio waves is distributed evenly; only tapes lose whole rows.
            $0.snowAnisotropy = 0
            $0.compositeNoiseIntensity = 0.3
            $0.compositeNoiseFrequency = 0.9
            $0.compositeNoiseDetail = 3
            $0.chromaNoiseIntensity = 0.3
            $0.chromaPhaseNoiseIntensity = 0.02
            $0.lumaSmear = 0.6
        },
        Look("hue-off", "A set with a misadjusted tint control: green faces, soft detail") {
            $0.removeTape()
            // 0.92 turns are -29 degrees, which rotate the hue of skin from +I towards -Q, which is green.
            $0.chromaPhaseError = 0.92
            $0.chromaPhaseNoiseIntensity = 0.005
            $0.compositeNoiseIntensity = 0.03
        },
        Look("black-and-white-set", "A monochrome receiver: no colour, soft detail") {
            $0.removeTape()
            $0.removeColour()
            // A monochrome receiver has no chroma trap. Its bandwidth ends below the carrier, as with the box filter.
            $0.chromaDemodulation = .box
            $0.compositeNoiseIntensity = 0.04
            $0.lumaSmear = 0.6
            $0.ringingFrequency = 0.3
        },
        Look("game-console", "A game console on a composite cable: crawling dots, rainbows, vivid colour") {
            $0.removeTape()
            // Game consoles encode without filters, and send 240 progressive rows as every field.
            $0.useField = .both
            $0.inputLumaFilter = .none
            $0.chromaLowpassIn = .none
            // On many consoles, a row does not last a whole number of half carrier periods, so the dots form diagonals.
            $0.videoScanlinePhaseShift = .degrees90
            $0.chromaLowpassOut = .light
            $0.compositePreemphasis = 0.25
            $0.compositeNoiseIntensity = 0.005
            $0.chromaNoiseIntensity = 0.02
            $0.lumaSmear = 0.05
        },
        Look("composite-camcorder", "A live camcorder on a composite cable: harsh edges, grain as in dim light") {
            $0.removeTape()
            // Only tapes have settings for sharpening and bandwidth. The bandwidth of the camera equals that of SP.
            $0.vhsSettings = true
            $0.vhsTapeSpeed = .sp
            $0.vhsEdgeWaveEnabled = false
            $0.vhsChromaLoss = 0
            $0.vhsSharpen = 0.9
            $0.compositePreemphasis = 0.1
            $0.lumaSmear = 0.2
            $0.lumaNoise = true
            $0.lumaNoiseIntensity = 0.08
            $0.lumaNoiseFrequency = 0.8
            $0.chromaNoiseIntensity = 0.25
        },
    ]
}

// MARK: - Tapes

extension Look {
    private static let tapes: [Look] = [
        Look("vhs-sp", "A good VHS tape at standard play: crisp edges, soft colour") {
            $0.vhsTapeSpeed = .sp
            $0.trackingNoise = false
            $0.compositePreemphasis = 0.1
            $0.compositeNoiseIntensity = 0.02
            $0.chromaNoiseIntensity = 0.06
            $0.lumaSmear = 0.1
            $0.ringingScale = 2.5
            $0.vhsSharpen = 0.45
            $0.vhsEdgeWave = 0.2
        },
        Look("vhs-lp", "A home recording at long play: soft, without tracking noise") {
            $0.vhsTapeSpeed = .lp
            $0.trackingNoise = false
            $0.compositePreemphasis = 0.1
            $0.compositeNoiseIntensity = 0.06
            $0.chromaNoiseIntensity = 0.16
            $0.lumaSmear = 0.6
            $0.vhsSharpen = 0.2
            $0.vhsEdgeWave = 0.9
        },
        Look("vhs-ep", "A recording at extended play: blurred, noisy, unsteady, colour beside its edges") {
            $0.vhsTapeSpeed = .ep
            // The gradual filters blur more than the bandwidth of the tape speed.
            $0.filterType = .constantK
            $0.trackingNoiseHeight = 8
            $0.compositePreemphasis = 0.1
            $0.compositeNoiseIntensity = 0.08
            $0.lumaNoiseIntensity = 0.04
            $0.chromaNoiseIntensity = 0.25
            $0.chromaPhaseNoiseIntensity = 0.008
            $0.chromaDelayVertical = 1
            $0.lumaSmear = 0.7
            $0.vhsChromaLoss = 0.0005
            $0.vhsSharpen = 0.1
            $0.vhsEdgeWave = 1.4
        },
        Look("third-copy", "A third-generation copy: displaced colour, ringing edges") {
            // Each generation delays chroma by about a row, and sharpens luma.
            $0.chromaDelayVertical = 4
            $0.compositePreemphasis = 0.15
            $0.vhsSharpen = 1.6
            $0.ringingScale = 6
            $0.lumaSmear = 0.7
            $0.compositeNoiseIntensity = 0.1
            $0.lumaNoiseIntensity = 0.04
            $0.chromaNoiseIntensity = 0.3
            $0.vhsEdgeWave = 1.2
            $0.vhsChromaLoss = 0.001
        },
        Look("worn-tape", "A worn-out tape: white dropouts, rows without colour, wavy edges") {
            // Missing oxide causes dropouts within a row.
            $0.snowIntensity = 0.1
            $0.snowAnisotropy = 0.8
            $0.compositePreemphasis = 0.15
            $0.vhsChromaLoss = 0.06
            $0.lumaNoiseIntensity = 0.05
            $0.chromaNoiseIntensity = 0.25
            $0.chromaPhaseNoiseIntensity = 0.01
            $0.vhsEdgeWave = 3
            $0.trackingNoiseHeight = 20
            $0.trackingNoiseSnowIntensity = 0.08
        },
        Look("bad-tracking", "Heads that miss their track: a band of shifted, snowy rows") {
            $0.compositePreemphasis = 0.1
            $0.trackingNoiseHeight = 60
            $0.trackingNoiseWaveIntensity = 35
            $0.trackingNoiseSnowIntensity = 0.3
            $0.trackingNoiseSnowAnisotropy = 0.5
            $0.trackingNoiseNoiseIntensity = 0.6
            $0.headSwitchingHeight = 14
            $0.headSwitchingMidLineJitter = 0.15
            $0.vhsChromaLoss = 0.005
            $0.vhsEdgeWave = 1.2
        },
    ]
}

// MARK: - PAL

extension Look {
    private static let pal: [Look] = [
        Look("pal-broadcast", "A PAL station: ringing edges, steady hues, little noise") {
            $0.standard = .pal
            $0.removeTape()
            $0.compositeNoiseIntensity = 0.05
            $0.chromaNoiseIntensity = 0.08
            // The reflections of the path turn the carrier; the delay line turns that into a slight loss of colour.
            $0.chromaPhaseError = 0.04
            $0.lumaSmear = 0
            $0.ringingFrequency = 0.3
        },
        Look("pal-simple-set", "An early PAL set without a delay line: stripes of two hues, soft detail") {
            $0.standard = .pal
            $0.palDecoder = .simple
            $0.removeTape()
            // 22 degrees.
            $0.chromaPhaseError = 0.06
            $0.chromaPhaseNoiseIntensity = 0.01
            $0.compositeNoiseIntensity = 0.05
            $0.chromaNoiseIntensity = 0.12
            $0.lumaSmear = 0.55
        },
        Look("pal-vhs", "A PAL VHS tape at standard play: crisp edges, colour without detail from row to row") {
            $0.standard = .pal
            $0.vhsTapeSpeed = .sp
            $0.trackingNoiseHeight = 6
            $0.compositePreemphasis = 0.1
            $0.compositeNoiseIntensity = 0.04
            $0.lumaNoiseIntensity = 0.05
            $0.chromaNoiseIntensity = 0.22
            $0.chromaPhaseNoiseIntensity = 0.005
            $0.lumaSmear = 0.25
            $0.vhsSharpen = 1.2
            $0.vhsEdgeWave = 0.6
        },
    ]
}

// MARK: - SECAM

extension Look {
    private static let secam: [Look] = [
        Look("secam-broadcast", "A strong SECAM station: fine detail, steady hues, faint dots everywhere") {
            $0.standard = .secam
            $0.removeTape()
            $0.compositeNoiseIntensity = 0.02
            $0.chromaNoiseIntensity = 0.05
            $0.lumaSmear = 0
            $0.ringingFrequency = 0.4
            $0.ringingScale = 2.5
        },
        Look("secam-fire", "A weak SECAM station: streaks of fire beside strong colours, silver noise") {
            $0.standard = .secam
            $0.removeTape()
            $0.snowIntensity = 1
            $0.snowAnisotropy = 0
            $0.compositeNoiseIntensity = 0.3
            $0.compositeNoiseFrequency = 0.9
            $0.compositeNoiseDetail = 2
            $0.chromaNoiseIntensity = 0.1
            $0.lumaSmear = 0.4
        },
    ]
}

// MARK: - Reception

extension Look {
    private static let reception: [Look] = [
        Look("weak-aerial", "An indoor aerial: fine grain, a ghost to the right, rows that tear") {
            $0.removeTape()
            $0.snowModel = .reception
            $0.snowIntensity = 18
            $0.ghostLevel = 0.3
            // A detour of 540 m.
            $0.ghostDelay = 1.8
            $0.ghostPhase = 0.1
            $0.syncNoise = 0.22
            $0.compositeNoise = false
            // The grain is that of the signal.
            $0.chromaNoise = false
            $0.lumaSmear = 0
            $0.ringingScale = 2
        },
        Look("rolling-picture", "A set with misadjusted hold controls: the picture rolls, bars of a second station") {
            $0.removeTape()
            // It rolls once in about a second, and hesitates.
            $0.verticalHold = 1.08
            $0.horizontalHold = 0.2
            $0.syncNoise = 0.3
            $0.coChannelLevel = 0.06
            $0.coChannelOffset = 480
            $0.compositeNoiseIntensity = 0.1
            $0.lumaSmear = 0.4
        },
    ]
}

extension NTSCSettings {
    fileprivate mutating func removeTape() {
        vhsSettings = false
        vhsTapeSpeed = .none
        // Only recorders blend rows of chroma, to remove crosstalk between tracks.
        vhsChromaVertBlend = false
        headSwitching = false
        trackingNoise = false
        snowIntensity = 0
        lumaNoise = false
    }

    /// Removes chroma from all rows with a chroma loss of probability 1, which follows all stages of chroma noise.
    fileprivate mutating func removeColour() {
        vhsSettings = true
        vhsChromaLoss = 1
        vhsTapeSpeed = .none
        vhsSharpenEnabled = false
        vhsEdgeWaveEnabled = false
    }
}
