import Durations
import Glibc

/// Decides whether an input has a signal, from the level of its audio.
///
/// A signal is present once the level has reached the threshold for 50 ms, so that a single click does not count. It is
/// absent once the level has been below the threshold by more than 3 dB for the hold time, so that pauses of music do not
/// count. Before the first decision it is unknown.
public struct LineSense: Sendable {
    /// Time for which the level must reach the threshold.
    static let attack = Duration.milliseconds(50)
    /// Difference of the two thresholds in dB.
    static let hysteresis = 3.0

    /// The decision; nil before the first one.
    public private(set) var signal: SignalState?
    /// Time for which the level has reached the threshold without an interruption.
    private var loud = Duration.zero
    /// Time for which the level has been below the lower threshold without an interruption.
    private var quiet = Duration.zero

    /// Creates a sense without a decision.
    public init() {}

    /// Adds the level in dBFS of `duration` of audio; returns the decision if it has changed.
    public mutating func add(_ level: Double, for duration: Duration, threshold: Double, hold: Duration) -> SignalState?
    {
        loud = level >= threshold ? min(loud + duration, Self.attack) : .zero
        quiet = level < threshold - Self.hysteresis ? min(quiet + duration, max(hold, Self.attack)) : .zero
        let old = signal
        if loud >= Self.attack {
            signal = .present
        } else if quiet > .zero, quiet >= hold || (signal == nil && quiet >= Self.attack) {
            // At the start there is no signal whose pause the hold time could bridge.
            signal = .absent
        }
        return signal == old ? nil : signal
    }
}

extension SampleFormat {
    /// Level in dBFS of interleaved samples without their mean: 0 for a square wave of full scale, at least -200.
    ///
    /// The mean is the offset of a converter, which is no signal. A remainder shorter than a frame is not used.
    public func level(of bytes: borrowing RawSpan, channels: Int) -> Double {
        let frames = bytes.byteCount / (self.bytes * channels)
        guard frames > 0 else { return -200 }
        var loudest = 0.0
        for channel in 0..<channels {
            var (sum, squares) = (0.0, 0.0)
            for frame in 0..<frames {
                let value = load(copy bytes, at: (frame * channels + channel) * self.bytes)
                sum += value
                squares += value * value
            }
            let mean = sum / Double(frames)
            loudest = max(loudest, squares / Double(frames) - mean * mean)
        }
        return max(10 * log10(max(loudest, 1e-20)), -200)
    }
}
