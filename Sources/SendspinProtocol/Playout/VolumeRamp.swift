import Glibc

/// A gain that follows the volume and mute of a player without steps.
public struct VolumeRamp: Sendable {
    /// Duration of every change of the gain in seconds.
    static let rampTime = 20e-3

    /// Exponent of the gain in the Sendspin player role.
    public static let standardCurve = 1.5

    /// Gain of the next frame.
    private(set) var gain: Double
    private var target: Double
    private var step = 0.0
    private var remaining = 0
    private let rampFrames: Int
    private let curve: Double

    /// Creates a ramp at its target; `volume` is in percent, `rate` in frames per second.
    ///
    /// The gain is the volume as a factor, to the power `curve`.
    public init(volume: Int, isMuted: Bool, rate: Int, curve: Double = standardCurve) {
        self.curve = curve
        target = isMuted ? 0 : Self.gain(volume: volume, curve: curve)
        gain = target
        rampFrames = max(Int(Double(max(rate, 1)) * Self.rampTime), 1)
    }

    /// Gain of a volume, clamped to 0 to 100 %.
    static func gain(volume: Int, curve: Double = standardCurve) -> Double {
        let ratio = Double(min(max(volume, 0), 100)) / 100
        // Unlike pow, a square root has the same bits with all processors and libraries.
        return curve == standardCurve ? ratio * ratio.squareRoot() : pow(ratio, curve)
    }

    /// Whether samples pass unchanged.
    public var isTransparent: Bool { remaining == 0 && gain == 1 }

    /// Starts a ramp to another gain.
    public mutating func set(volume: Int, isMuted: Bool) {
        let wanted = isMuted ? 0 : Self.gain(volume: volume, curve: curve)
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
