/// Plays sound as from a tape, in place, with a delay of `delay` frames.
///
/// The work is done in blocks of 64 positions. All random numbers, and all times of pulses and drop-outs, are functions
/// of the position, so the result depends neither on the sizes of the buffers nor, beyond the memory of the filters, on
/// a seek. Only `init` allocates memory.
public struct TapePlayer: ~Copyable {
    static let blockLength = 64
    /// Time that is played from silence before the first buffer, so that noise and filters are settled, in seconds.
    private static let warmUp = 0.05

    private let layout: SoundLayout
    /// Number of frames by which the output is later than the input.
    public let delay: Int
    private var settings: TapeSettings?
    private var designs: (linear: TrackDesign, pairs: TrackDesign)
    /// Position of the next frame of the output.
    private var position: Int64 = 0
    private var block: BlockSounds

    // The linear track is mono; its two channels are equal.
    private var linear: [TapePass]
    private var azimuth: [AzimuthLoss]
    private var linearLine: DelayLine
    private var linearSamples: [Pair]
    // Hi-Fi tracks, or no tape: passes, a line and a block of samples for each two channels.
    private var passes: [TapePass]
    private var lines: [DelayLine]
    private var samples: [[Pair]]
    private let interpolation = Interpolation()

    /// A player for sound of a layout.
    public init(_ layout: SoundLayout) {
        self.layout = layout
        let rate = Double(layout.rate)
        let largest = Int(SpeedError.largestDelay(rate: rate).rounded(.up))
        delay = largest + DelayLine.margin
        let settings = TapeSettings()
        designs = (TrackDesign(.linear, settings, rate: rate), TrackDesign(.hiFi, settings, rate: rate))
        block = BlockSounds(layout, delay: delay)
        let generations = Int(TapeSettings.mostGenerations)
        let pairs = (layout.channels + 1) / 2
        linear = [TapePass](repeating: TapePass(), count: generations)
        azimuth = [AzimuthLoss](repeating: AzimuthLoss(rate: rate), count: generations)
        let longest = delay + largest + DelayLine.margin
        linearLine = DelayLine(longest: longest, isMono: true)
        linearSamples = [Pair](repeating: .zero, count: Self.blockLength)
        passes = [TapePass](repeating: TapePass(), count: generations * pairs)
        lines = [DelayLine](repeating: DelayLine(longest: longest, isMono: false), count: pairs)
        samples = (0..<pairs).map { _ in [Pair](repeating: .zero, count: Self.blockLength) }
        // Arrays with the same value share their memory until they are first changed.
        for index in azimuth.indices { azimuth[index].reset() }
        for index in lines.indices { lines[index].reset() }
        linearLine.reset()
    }

    /// Begins with the frame at `position`; the output then begins `delay` frames before it, with the noise of silence.
    public mutating func begin(at position: Int64, _ settings: TapeSettings) {
        resetLinear()
        for index in passes.indices { passes[index] = TapePass() }
        for index in lines.indices { lines[index].reset() }
        block.reset()
        apply(settings)
        let warmUp = Int(Self.warmUp * Double(layout.rate))
        self.position = (position &- Int64(delay)) &- Int64(warmUp)
        var frames = warmUp
        while frames > 0 {
            let range = nextRange(frames)
            silence(range)
            playBlock(range)
            frames -= range.count
        }
    }

    /// Replaces the frames in `bytes` by their output, as a stream that begins at `position` and ends with them.
    ///
    /// The output has no delay; an incomplete frame at the end does not change.
    public mutating func playAlone(_ bytes: inout MutableRawSpan, at position: Int64, _ settings: TapeSettings) {
        begin(at: position, settings)
        let frames = bytes.byteCount / layout.bytesInFrame
        // Silence follows the frames, and the first output is not stored.
        let (first, second) = (min(delay, frames), max(delay, frames))
        var frame = 0
        while frame < frames + delay {
            let end = frame < first ? first : frame < second ? second : frames + delay
            let range = nextRange(end - frame)
            if frame < frames { load(bytes, frame, range) } else { silence(range) }
            playBlock(range)
            if frame >= delay { store(&bytes, frame - delay, range) }
            frame += range.count
        }
    }

    /// Replaces the frames in `bytes` by the frames of the output; an incomplete frame at the end does not change.
    public mutating func play(_ bytes: inout MutableRawSpan, _ settings: TapeSettings) {
        if settings != self.settings { apply(settings) }
        let frames = bytes.byteCount / layout.bytesInFrame
        var frame = 0
        while frame < frames {
            let range = nextRange(frames - frame)
            load(bytes, frame, range)
            playBlock(range)
            store(&bytes, frame, range)
            frame += range.count
        }
    }

    private mutating func apply(_ settings: TapeSettings) {
        let rate = Double(layout.rate)
        let hasPlayedLinear = playsLinear
        self.settings = settings
        designs = (
            TrackDesign(.linear, settings, rate: rate),
            TrackDesign(settings.track == .none ? .none : .hiFi, settings, rate: rate)
        )
        let length = AzimuthLoss.length(
            angle: min(max(settings.azimuthError, 0), TapeSettings.largestAzimuthError), speed: settings.tapeSpeed,
            rate: rate)
        for index in azimuth.indices { azimuth[index].set(length: length) }
        block.apply(settings)
        // The delay line still has the sound that the track has played last.
        if playsLinear, !hasPlayedLinear { resetLinear() }
    }

    private var track: SoundTrack { settings?.track ?? .none }

    /// Whether the linear track is heard, or needed in drop-outs.
    private var playsLinear: Bool { track == .linear || (track == .hiFi && block.needsLinear) }

    private mutating func resetLinear() {
        for index in linear.indices { linear[index] = TapePass() }
        for index in azimuth.indices { azimuth[index].reset() }
        linearLine.reset()
    }

    /// The part of the present block, of at most `count` frames.
    private func nextRange(_ count: Int) -> Range<Int> {
        let start = Int(position & Int64(Self.blockLength - 1))
        return start..<min(start + count, Self.blockLength)
    }

    // MARK: Frames

    private mutating func load(_ bytes: borrowing MutableRawSpan, _ frame: Int, _ range: Range<Int>) {
        for pair in samples.indices { layout.load(bytes, frame, range, channel: pair * 2, to: &samples[pair]) }
    }

    private mutating func silence(_ range: Range<Int>) {
        for pair in samples.indices { for index in range { samples[pair][index] = .zero } }
    }

    private func store(_ bytes: inout MutableRawSpan, _ frame: Int, _ range: Range<Int>) {
        for pair in samples.indices { layout.store(samples[pair], range, channel: pair * 2, in: &bytes, frame) }
    }

    // MARK: A block

    /// Plays the samples of `range` in the present block.
    private mutating func playBlock(_ range: Range<Int>) {
        block.prepare(at: position & ~Int64(Self.blockLength - 1))
        let track = track
        if playsLinear { playLinear(range) }
        switch track {
        case .linear:
            for pair in samples.indices { block.mixLinear(linearSamples, into: &samples[pair], range, pair: pair) }
        case .hiFi, .none:
            for pair in samples.indices {
                playPair(pair, range)
                if track == .hiFi {
                    block.mixHiFi(&samples[pair], linear: linearSamples, range, pair: pair)
                } else {
                    block.addReceiverNoise(to: &samples[pair], range, pair: pair)
                }
            }
        }
        position &+= Int64(range.count)
        if range.upperBound == Self.blockLength { flush() }
    }

    private mutating func playLinear(_ range: Range<Int>) {
        for index in range { linearSamples[index] = .zero }
        for pair in samples { for index in range { linearSamples[index] += pair[index] } }
        let scale = 1 / Double(layout.channels)
        for index in range { linearSamples[index] = Pair(repeating: linearSamples[index].sum() * scale) }
        let generations = designs.linear.generations
        for generation in 0..<generations {
            linear[generation].record(&linearSamples, range, designs.linear)
            for index in range {
                linearSamples[index] = Pair(repeating: azimuth[generation].step(linearSamples[index].x))
            }
            if generation == generations - 1 {
                pass(&linearSamples, range, through: &linearLine, block.linearDelays, delay, interpolation)
            }
            block.writeLinearNoise(range, generation: generation, amplitude: designs.linear.noise)
            linear[generation].play(
                &linearSamples, range, designs.linear, noise: block.linearNoise, buzz: block.buzz)
        }
    }

    private mutating func playPair(_ pair: Int, _ range: Range<Int>) {
        let generations = designs.pairs.generations
        for generation in 0..<generations {
            let index = pair * Int(TapeSettings.mostGenerations) + generation
            passes[index].record(&samples[pair], range, designs.pairs)
            if generation == generations - 1 {
                pass(&samples[pair], range, through: &lines[pair], block.pairDelays, delay, interpolation)
            }
            block.writePairNoise(range, pair: pair, generation: generation, amplitude: designs.pairs.noise)
            passes[index].play(
                &samples[pair], range, designs.pairs, noise: block.pairNoise,
                buzz: track == SoundTrack.none ? block.buzz : block.noBuzz)
        }
    }

    private mutating func flush() {
        for index in 0..<designs.linear.generations { linear[index].flush() }
        for index in passes.indices { passes[index].flush() }
    }
}

/// Passes samples through a delay line; without `delays`, the delay is constant.
private func pass(
    _ samples: inout [Pair], _ range: Range<Int>, through line: inout DelayLine, _ delays: [Double]?, _ delay: Int,
    _ interpolation: Interpolation
) {
    guard let delays else {
        for index in range {
            line.append(samples[index])
            samples[index] = line.delayed(by: delay)
        }
        return
    }
    for index in range {
        line.append(samples[index])
        samples[index] = line.delayed(by: delays[index], interpolation)
    }
}
