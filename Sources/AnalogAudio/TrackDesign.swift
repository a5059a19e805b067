/// Coefficients of the recording and the playback of a track.
struct TrackDesign {
    /// The time constant of emphasis divided by that at which it ends: 12 dB.
    private static let emphasisRange = 4.0
    /// Distance and number of the frequencies at which the gain of noise is computed, as logarithms.
    private static let gridStep = 0.125, gridReach = 128
    /// Bound of the gain of noise; bands without a width have none.
    private static let leastNoiseGain = 1e-7

    let gain: Double
    let control: LevelControl.Design?
    let preEmphasis: Biquad
    /// Largest magnitude on the tape.
    let clip: Double
    /// De-emphasis, and the amplification of high frequencies by linear tracks.
    let tone: Biquad
    let lowCut: Biquad
    let highCut: Biquad
    let highCut2: Biquad
    /// Amplitude of the white noise that is added before the playback, so that the setting is its level afterwards.
    let noise: Double
    /// Number of times that the track is recorded.
    let generations: Int

    init(_ track: SoundTrack, _ settings: TapeSettings, rate: Double) {
        let isTape = track != .none
        gain = decibels(settings.recordLevel)
        control = settings.levelControl ? LevelControl.Design(target: settings.levelControlTarget, rate: rate) : nil
        clip = isTape ? decibels(settings.clipLevel) : .infinity
        generations = isTape ? Int(settings.generations) : 1
        let limits: (low: Double, high: Double) =
            switch track {
            case .none: (0, rate)
            case .linear: (100, settings.tapeSpeed.highCut)
            case .hiFi: (20, 20_000)
            }
        let low = settings.lowCut > 0 ? Double(max(settings.lowCut, TapeSettings.leastLowCut)) : limits.low
        let high = settings.highCut > 0 ? Double(max(settings.highCut, TapeSettings.leastHighCut)) : limits.high
        let time = isTape ? Double(settings.emphasis) / 1_000_000 : 0
        preEmphasis = .shelf(time, time / Self.emphasisRange, rate: rate)
        let deEmphasis = Biquad.shelf(time / Self.emphasisRange, time, rate: rate)
        if track == .linear, settings.trebleBoost > 0 {
            let corner = 1 / (2 * Double.pi * high)
            tone = deEmphasis.followed(by: .shelf(corner * (1 + Double(settings.trebleBoost)), corner, rate: rate))
        } else {
            tone = deEmphasis
        }
        lowCut = .highPass(low, rate: rate)
        // The quality factors of a Butterworth filter of fourth order.
        highCut = .lowPass(high, quality: 0.5 / cosine(Double.pi / 8), rate: rate)
        highCut2 = .lowPass(high, quality: 0.5 / cosine(3 * Double.pi / 8), rate: rate)
        let level: Float =
            switch track {
            case .none: TapeSettings.silence
            case .linear: settings.linearNoise
            case .hiFi: settings.hiFiNoise
            }
        noise = amplitude(ofLevel: level) / Self.noiseGain([tone, lowCut, highCut, highCut2])
    }

    /// Root of the mean power gain of filters over all frequencies.
    ///
    /// The gain is a rational function of `t = tan(ω/2)`. With `t = e^u` and `dω = sin ω du`, the trapezoidal rule has an
    /// error below 0.1 % for all limits of the band: its steps are small beside the width of any slope of the filters.
    private static func noiseGain(_ filters: InlineArray<4, Biquad>) -> Double {
        var sum = 0.0
        for index in -gridReach...gridReach {
            let t = exponential(Double(index) * gridStep)
            let (c, s) = ((1 - t * t) / (1 + t * t), 2 * t / (1 + t * t))
            var gain = s
            for filter in 0..<4 { gain *= filters[filter].powerGain(cosine: c, sine: s) }
            sum += gain
        }
        return max(leastNoiseGain, (sum * gridStep / Double.pi).squareRoot())
    }
}
