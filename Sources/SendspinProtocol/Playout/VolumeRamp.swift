/// A gain that follows the volume and mute of a player without steps.
///
/// Source: the Sendspin player role, where the gain is the volume to the power 1.5.
public struct VolumeRamp: Sendable {
    /// Duration of every change of the gain in seconds.
    static let rampTime = 20e-3

    /// Gain of the next frame.
    private(set) var gain: Double
    private var target: Double
    private var step = 0.0
    private var remaining = 0
    private let rampFrames: Int

    /// Creates a ramp at its target; `volume` is in percent, `rate` in frames per second.
    public init(volume: Int, isMuted: Bool, rate: Int) {
        target = isMuted ? 0 : Self.gain(volume: volume)
        gain = target
        rampFrames = max(Int(Double(max(rate, 1)) * Self.rampTime), 1)
    }

    /// Gain of a volume, clamped to 0 to 100 %.
    static func gain(volume: Int) -> Double {
        let ratio = Double(min(max(volume, 0), 100)) / 100
        return ratio * ratio.squareRoot()
    }

    /// Whether samples pass unchanged.
    public var isTransparent: Bool { remaining == 0 && gain == 1 }

    /// Starts a ramp to another gain.
    public mutating func set(volume: Int, isMuted: Bool) {
        let wanted = isMuted ? 0 : Self.gain(volume: volume)
        guard wanted != target else { return }
        target = wanted
        remaining = rampFrames
        step = (wanted - gain) / Double(rampFrames)
    }

    /// Applies the gain to interleaved samples; a partial frame at the end remains unchanged.
    public mutating func apply(to bytes: inout MutableRawSpan, format: SampleFormat, channels: Int) {
        guard channels > 0, !isTransparent else { return }
        let frameBytes = format.bytes * channels
        for frame in 0..<(bytes.byteCount / frameBytes) {
            advance()
            for channel in 0..<channels {
                let offset = frame * frameBytes + channel * format.bytes
                format.store(gain * format.load(bytes.bytes, at: offset), to: &bytes, at: offset)
            }
        }
    }

    private mutating func advance() {
        guard remaining > 0 else { return }
        remaining -= 1
        gain = remaining == 0 ? target : gain + step
    }
}
