/// The delays, noise, pulses, clicks and drop-outs of a block, all functions of its position.
struct BlockSounds {
    /// Factor of the linear track in a drop-out: -12 dB.
    private static let dropOutGain = 0.25
    /// Number of samples from one computed delay to the next; those between are interpolated.
    private static let delayStep = 16

    private let rate: Double
    private let delay: Int
    private let pairCount: Int
    private var settings = TapeSettings()
    /// Position of the first sample of the block; nil if it is not prepared.
    private var position: Int64?

    private var linearError: SpeedError
    private var pairError: SpeedError
    private var linearNoises: [WhiteNoise]
    private var pairNoises: [WhiteNoise]
    private var receiverNoises: [WhiteNoise]
    private var dropOutNoise = WhiteNoise(seed: 0, .dropOut)
    private var pulses = SyncPulses(.ntsc)
    private var clicks: SwitchingNoise
    private var dropOuts: DropOuts
    private var isAnyLost = false

    private var linearDelayStorage: [Double]
    private var pairDelayStorage: [Double]
    private var click: [Double]
    private var lost: [Double]
    /// Pulses of the picture.
    private(set) var buzz: [Double]
    /// Zeros.
    let noBuzz: [Double]
    /// Noise of the generation of the linear track for which it was last written.
    private(set) var linearNoise: [Pair]
    /// Noise of the pair and the generation for which it was last written.
    private(set) var pairNoise: [Pair]

    init(_ layout: SoundLayout, delay: Int) {
        rate = Double(layout.rate)
        self.delay = delay
        pairCount = (layout.channels + 1) / 2
        let zeros = [Double](repeating: 0, count: TapePlayer.blockLength)
        let pairs = [Pair](repeating: .zero, count: TapePlayer.blockLength)
        noBuzz = zeros
        (linearDelayStorage, pairDelayStorage, click, lost, buzz) = (zeros, zeros, zeros, zeros, zeros)
        (linearNoise, pairNoise) = (pairs, pairs)
        let noise = WhiteNoise(seed: 0, .linear)
        let generations = Int(TapeSettings.mostGenerations)
        linearNoises = [WhiteNoise](repeating: noise, count: generations)
        pairNoises = [WhiteNoise](repeating: noise, count: generations * pairCount * 2)
        receiverNoises = [WhiteNoise](repeating: noise, count: pairCount * 2)
        linearError = SpeedError(percent: 0, flutterShare: 0, generations: 1, seed: 0, rate: rate)
        pairError = linearError
        clicks = SwitchingNoise(settings, rate: rate)
        dropOuts = DropOuts(rate: rate)
        // Arrays with the same value share their memory until they are first changed.
        (linearDelayStorage[0], pairDelayStorage[0], click[0], lost[0], buzz[0]) = (0, 0, 0, 0, 0)
        (linearNoise[0], pairNoise[0]) = (.zero, .zero)
    }

    /// Delays of the linear track in samples; nil if its speed is constant.
    var linearDelays: [Double]? { linearError.isNone ? nil : linearDelayStorage }
    /// Delays of the pairs of channels in samples; nil if the speed is constant.
    var pairDelays: [Double]? { pairError.isNone ? nil : pairDelayStorage }

    /// Whether Hi-Fi tracks may fall back to the linear track; its filters must then run all the time.
    var needsLinear: Bool {
        settings.dropOuts == .linear && settings.videoFramerate.perSecond != nil
            && (settings.picture.snowIntensity > 0 || settings.picture.trackingNoise)
    }

    mutating func reset() {
        position = nil
        dropOuts.reset()
    }

    mutating func apply(_ settings: TapeSettings) {
        self.settings = settings
        position = nil
        dropOuts.forgetFrame()
        let seed = settings.picture.randomSeed
        for index in linearNoises.indices { linearNoises[index] = WhiteNoise(seed: seed, .linear, index: index) }
        for index in pairNoises.indices { pairNoises[index] = WhiteNoise(seed: seed, .hiFi, index: index) }
        for index in receiverNoises.indices { receiverNoises[index] = WhiteNoise(seed: seed, .receiver, index: index) }
        dropOutNoise = WhiteNoise(seed: seed, .dropOut)
        pulses = SyncPulses(settings.standard)
        clicks = SwitchingNoise(settings, rate: rate)
        func error(_ percent: Float) -> SpeedError {
            SpeedError(
                percent: percent, flutterShare: settings.flutterShare, generations: settings.generations, seed: seed,
                rate: rate)
        }
        linearError = error(settings.linearWowFlutter)
        pairError = error(settings.track == .none ? 0 : settings.hiFiWowFlutter)
    }

    // MARK: Preparation

    /// Computes the block at a position, which is a multiple of its length, unless that has been done.
    mutating func prepare(at position: Int64) {
        guard position != self.position else { return }
        self.position = position
        if settings.track == .linear || needsLinear {
            Self.write(linearError, delay, to: &linearDelayStorage, from: position)
        }
        if settings.track != .linear { Self.write(pairError, delay, to: &pairDelayStorage, from: position) }
        writeBuzz(from: position)
        if settings.track == .hiFi { clicks.write(to: &click, from: position) }
        isAnyLost = settings.track != .none && dropOuts.write(to: &lost, from: position, settings)
    }

    private static func write(_ error: SpeedError, _ delay: Int, to delays: inout [Double], from position: Int64) {
        guard !error.isNone else { return }
        var low = error.delay(at: position)
        for start in stride(from: 0, to: delays.count, by: delayStep) {
            let high = error.delay(at: position &+ Int64(start + delayStep))
            for index in 0..<delayStep {
                delays[start + index] = Double(delay) + low + (high - low) * (Double(index) / Double(delayStep))
            }
            low = high
        }
    }

    private mutating func writeBuzz(from position: Int64) {
        let height = amplitude(ofLevel: settings.buzz)
        guard height > 0, settings.track != .hiFi || needsLinear else {
            for index in buzz.indices { buzz[index] = 0 }
            return
        }
        let step = pulses.lineRate / rate
        pulses.write(to: &buzz, at: Double(position) * step, step: step, height: -height)
    }

    /// Writes `linearNoise` for the samples of `range`.
    mutating func writeLinearNoise(_ range: Range<Int>, generation: Int, amplitude: Double) {
        guard let position, amplitude > 0 else { return Self.silence(&linearNoise) }
        let noise = linearNoises[generation]
        for index in range {
            linearNoise[index] = Pair(repeating: noise[position &+ Int64(index)] * amplitude)
        }
    }

    /// Writes `pairNoise` for the samples of `range`.
    mutating func writePairNoise(_ range: Range<Int>, pair: Int, generation: Int, amplitude: Double) {
        guard let position, amplitude > 0 else { return Self.silence(&pairNoise) }
        let first = (generation * pairCount + pair) * 2
        let (one, other) = (pairNoises[first], pairNoises[first + 1])
        for index in range {
            let place = position &+ Int64(index)
            pairNoise[index] = Pair(one[place], other[place]) * amplitude
        }
    }

    private static func silence(_ samples: inout [Pair]) {
        for index in samples.indices { samples[index] = .zero }
    }

    // MARK: The output

    /// Writes the linear track to a pair of channels.
    func mixLinear(_ linear: [Pair], into samples: inout [Pair], _ range: Range<Int>, pair: Int) {
        for index in range { samples[index] = linear[index] }
        if isAnyLost {
            for index in range { samples[index] *= 1 - (1 - Self.dropOutGain) * lost[index] }
            addDropOutNoise(to: &samples, range)
        }
        addReceiverNoise(to: &samples, range, pair: pair)
    }

    /// Adds clicks to a pair of Hi-Fi tracks, and replaces what is lost by `linear` or by noise.
    func mixHiFi(_ samples: inout [Pair], linear: [Pair], _ range: Range<Int>, pair: Int) {
        if isAnyLost {
            for index in range { samples[index] *= 1 - lost[index] }
            if settings.dropOuts == .linear {
                for index in range { samples[index] += linear[index] * lost[index] }
            }
            addDropOutNoise(to: &samples, range)
        }
        for index in range { samples[index] += Pair(repeating: click[index]) }
        addReceiverNoise(to: &samples, range, pair: pair)
    }

    /// Adds the noise of the receiver to a pair of channels.
    func addReceiverNoise(to samples: inout [Pair], _ range: Range<Int>, pair: Int) {
        let level = amplitude(ofLevel: settings.receiverNoise)
        guard let position, level > 0 else { return }
        let (one, other) = (receiverNoises[pair * 2], receiverNoises[pair * 2 + 1])
        for index in range {
            let place = position &+ Int64(index)
            samples[index] += Pair(one[place], other[place]) * level
        }
    }

    private func addDropOutNoise(to samples: inout [Pair], _ range: Range<Int>) {
        guard let position, settings.dropOuts == .noise else { return }
        let level = amplitude(ofLevel: settings.dropOutLevel)
        for index in range where lost[index] > 0 {
            samples[index] += Pair(repeating: dropOutNoise[position &+ Int64(index)] * level * lost[index])
        }
    }
}
