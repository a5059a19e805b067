import AnalogAudio
import Foundation

/// Settings in which the tape changes nothing but its band: no noise, no speed errors and no drop-outs.
extension TapeSettings {
    static var clean: TapeSettings {
        var settings = TapeSettings()
        settings.linearNoise = silence
        settings.hiFiNoise = silence
        settings.buzz = silence
        settings.switchingNoise = silence
        settings.linearWowFlutter = 0
        settings.hiFiWowFlutter = 0
        settings.trebleBoost = 0
        settings.dropOuts = .off
        return settings
    }

    func with(_ change: (inout TapeSettings) -> Void) -> TapeSettings {
        var copy = self
        change(&copy)
        return copy
    }
}

/// Plays sound through a player and compares, filters and measures it.
struct Sound {
    /// Sound of each channel; full scale is 1.
    var channels: [[Float]]
    let rate: Int

    init(_ channels: [[Float]], rate: Int) { (self.channels, self.rate) = (channels, rate) }

    /// Silence.
    init(seconds: Double, channels: Int = 1, rate: Int = 48_000) {
        self.init(
            [[Float]](repeating: [Float](repeating: 0, count: Int(seconds * Double(rate))), count: channels), rate: rate
        )
    }

    /// A sine in all channels.
    init(hertz: Double, amplitude: Double, seconds: Double, channels: Int = 1, rate: Int = 48_000) {
        let samples = (0..<Int(seconds * Double(rate))).map {
            Float(amplitude * sin(2 * Double.pi * hertz * Double($0) / Double(rate)))
        }
        self.init([[Float]](repeating: samples, count: channels), rate: rate)
    }

    var count: Int { channels[0].count }

    /// The sound as from a tape, without the delay; it is pushed in buffers of `sizes` frames, which repeat.
    func played(_ settings: TapeSettings, from position: Int64 = 0, sizes: [Int] = [480]) -> Sound {
        let layout = SoundLayout(rate: rate, channels: channels.count, sample: .float32)
        var player = TapePlayer(layout)
        player.begin(at: position, settings)
        // The rest of the delay line follows the sound.
        var bytes = interleaved + [UInt8](repeating: 0, count: player.delay * layout.bytesInFrame)
        var (start, turn) = (0, 0)
        while start < bytes.count {
            let end = min(start + sizes[turn % sizes.count] * layout.bytesInFrame, bytes.count)
            bytes.withUnsafeMutableBytes {
                var span = UnsafeMutableRawBufferPointer(rebasing: $0[start..<end]).mutableBytes
                player.play(&span, settings)
            }
            (start, turn) = (end, turn + 1)
        }
        return Sound(
            bytes: Array(bytes.dropFirst(player.delay * layout.bytesInFrame)), channels: channels.count, rate: rate)
    }

    /// The sound as from a tape, as a stream of its own.
    func playedAlone(_ settings: TapeSettings, at position: Int64) -> Sound {
        var player = TapePlayer(SoundLayout(rate: rate, channels: channels.count, sample: .float32))
        var bytes = interleaved
        bytes.withUnsafeMutableBytes {
            var span = $0.mutableBytes
            player.playAlone(&span, at: position, settings)
        }
        return Sound(bytes: bytes, channels: channels.count, rate: rate)
    }

    private var interleaved: [UInt8] {
        (0..<count).flatMap { frame in channels.flatMap { withUnsafeBytes(of: $0[frame]) { Array($0) } } }
    }

    private init(bytes: [UInt8], channels: Int, rate: Int) {
        let samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        self.init(
            (0..<channels).map { channel in stride(from: channel, to: samples.count, by: channels).map { samples[$0] }
            },
            rate: rate)
    }
}

/// The discrete Fourier transform of samples at one frequency.
func spectrum(_ samples: some Collection<Float>, hertz: Double, rate: Int) -> (real: Double, imaginary: Double) {
    let angle = 2 * Double.pi * hertz / Double(rate)
    var sum = (real: 0.0, imaginary: 0.0)
    for (index, sample) in samples.enumerated() {
        sum.real += Double(sample) * cos(angle * Double(index))
        sum.imaginary -= Double(sample) * sin(angle * Double(index))
    }
    return sum
}

/// Magnitude of the Fourier transform at one frequency.
func magnitude(_ samples: some Collection<Float>, hertz: Double, rate: Int) -> Double {
    let (real, imaginary) = spectrum(samples, hertz: hertz, rate: rate)
    return (real * real + imaginary * imaginary).squareRoot()
}

/// Amplitude of a sinusoid, with the window of Blackman and Harris, whose side lobes are 92 dB below it.
func lineAmplitude(_ samples: some Collection<Float>, hertz: Double, rate: Int) -> Double {
    let count = Double(samples.count)
    let windowed = samples.enumerated().map { index, sample -> Float in
        let angle = 2 * Double.pi * Double(index) / count
        let window = 0.35875 - 0.48829 * cos(angle) + 0.14128 * cos(2 * angle) - 0.01168 * cos(3 * angle)
        return Float(Double(sample) * window)
    }
    return magnitude(windowed, hertz: hertz, rate: rate) * 2 / (count * 0.35875)
}

/// Root of the mean square.
func level(_ samples: some Collection<Float>) -> Double {
    (samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(samples.count)).squareRoot()
}

func decibels(_ ratio: Double) -> Double { 20 * log10(ratio) }
