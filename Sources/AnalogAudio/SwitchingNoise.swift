/// Clicks of Hi-Fi tracks, where the recorder changes from one head of the drum to the other: once in each field.
struct SwitchingNoise {
    /// Number of lines from the change to the vertical pulse.
    private static let linesBeforePulse = 6.5
    /// Time constant of the decay, and the length after which a click is over, in seconds.
    private static let decay = 0.000_15
    private static let length = 0.002
    /// Frequency of a click in hertz.
    private static let frequency = 3_000.0

    private let pulses: SyncPulses
    private let noise: WhiteNoise
    private let peak: Double
    private let rate: Double

    /// Clicks are louder when the heads miss their track: by up to 20 dB at the largest height of tracking noise.
    init(_ settings: TapeSettings, rate: Double) {
        pulses = SyncPulses(settings.standard)
        noise = WhiteNoise(seed: settings.picture.randomSeed, .switching)
        let missing = settings.picture.trackingNoise ? Double(settings.picture.trackingNoiseHeight) / 120 : 0
        peak = amplitude(ofLevel: settings.switchingNoise) * (1 + 9 * missing)
        self.rate = rate
    }

    /// Writes the clicks of the samples from `position` on.
    func write(to samples: inout [Double], from position: Int64) {
        for index in samples.indices { samples[index] = 0 }
        guard peak > 0 else { return }
        let linesInSample = pulses.lineRate / rate
        let first = Double(position) * linesInSample + Self.linesBeforePulse
        let last = first + Double(samples.count) * linesInSample
        let reach = Self.length * pulses.lineRate
        // Field of the latest change that may still sound, to that of the last change in the block.
        let fields =
            ((first - reach) / pulses.linesInField).rounded(.down)...(last / pulses.linesInField).rounded(.down)
        for field in stride(from: fields.lowerBound, through: fields.upperBound, by: 1) {
            let start = (field * pulses.linesInField - Self.linesBeforePulse) / linesInSample - Double(position)
            let height = peak * (0.7 + 0.3 * noise.unit(Int64(field)))
            let from = max(0, start.rounded(.up))
            guard from < Double(samples.count) else { continue }
            for index in Int(from)..<samples.count {
                let time = (Double(index) - start) / rate
                guard time < Self.length else { break }
                samples[index] +=
                    height * exponential(-time / Self.decay) * cosine(2 * Double.pi * Self.frequency * time)
            }
        }
    }
}
