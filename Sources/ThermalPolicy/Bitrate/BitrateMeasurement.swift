/// Output of an encoder from its start up to one time.
public struct EncodedAmount: Sendable, Equatable {
    /// Bytes since the start.
    public var bytes: UInt64
    /// Duration of the stream, from its timestamps.
    public var time: Duration
    /// Frames since the start.
    public var frames: UInt64

    /// Creates an amount from its parts.
    public init(bytes: UInt64 = 0, time: Duration = .zero, frames: UInt64 = 0) {
        (self.bytes, self.time, self.frames) = (bytes, time, frames)
    }

    /// Bits per second of stream since `start`; nil if no stream time has passed.
    func bitrate(since start: Self) -> Double? {
        let seconds = (time - start.time) / .seconds(1)
        return seconds > 0 ? Double(bytes &- min(start.bytes, bytes)) * 8 / seconds : nil
    }
}

/// Bitrate of the output of one encoder while its bitrate is not lowered.
public struct UsualBitrate: Sendable {
    private var start: EncodedAmount?
    private var pixels = 0.0
    /// Bits and pixels per second; nil until one second of stream is encoded.
    private var found: (bits: Double, pixels: Double)?

    public init() {}

    /// Measures the output up to `amount`; `pixels` is the number of pixels per second of the input.
    public mutating func measure(_ amount: EncodedAmount, pixels: Double) {
        if pixels != self.pixels { start = nil }
        self.pixels = pixels
        let start = start ?? amount
        self.start = start
        guard amount.time - start.time >= .seconds(1), let bits = amount.bitrate(since: start) else { return }
        found = (bits, pixels)
        self.start = amount
    }

    /// Interrupts the measurement, because the bitrate is lowered.
    public mutating func pause() { start = nil }

    /// Measured bitrate; nil before the first measurement.
    public var bitsPerSecond: Double? { found?.bits }

    /// Bitrate for `pixels` pixels per second with the same bits per pixel.
    public func bitsPerSecond(pixels: Double) -> Double? {
        found.map { $0.pixels > 0 && pixels > 0 ? $0.bits * pixels / $0.pixels : $0.bits }
    }

    /// `pixels`, in pixels per second, as a share of those at the measurement.
    public func pixelShare(_ pixels: Double) -> Double {
        guard let found, found.pixels > 0, pixels > 0 else { return 1 }
        return pixels / found.pixels
    }
}

/// Checks whether an encoder follows a new bitrate.
///
/// Times are stream times, so a pause does not count, and faster encoding does not count as a higher bitrate.
public struct BitrateCheck: Sendable {
    /// Whether the encoder follows its bitrate.
    public enum Verdict: Sendable, Equatable {
        /// The output follows the bitrate.
        case obeyed
        /// The output does not follow; the values are bits per second before and after the change, and as requested.
        case ignored(before: Double, after: Double, asked: Double)
    }

    /// Time after a change during which the encoder may still output frames with the old bitrate.
    public static let settling = Duration.seconds(2)
    /// Time of the measurement: two groups of pictures of 2 s, a common duration in streaming.
    public static let measuring = Duration.seconds(4)

    private let before: Double
    private let asked: Double
    private let inside: UInt64
    private var pixelShare = 1.0
    private var start: EncodedAmount
    private var measured: EncodedAmount?

    /// Creates a check; `before` and `asked` are bits per second, `inside` is the number of frames held for lookahead.
    public init(before: Double, asked: Double, inside: UInt64, at amount: EncodedAmount) {
        self.before = before
        self.asked = asked
        self.inside = inside
        start = amount
    }

    /// Measures up to `amount`; returns nil until enough stream is encoded.
    ///
    /// An encoder follows if its output is at most 15 % above the requested bitrate. If the output is higher, the
    /// encoder ignores the bitrate only if the output did not fall by 10 %. Fewer pixels reduce the output of any
    /// encoder, and `pixelShare` corrects for that. A change of `pixelShare` restarts the measurement.
    public mutating func measure(
        _ amount: EncodedAmount, pixelShare: Double = 1
    ) -> (verdict: Verdict, bitsPerSecond: Double)? {
        if pixelShare != self.pixelShare {
            self.pixelShare = pixelShare
            start = amount
            measured = nil
        }
        guard let first = measured else {
            let isSettled = amount.time - start.time >= Self.settling && amount.frames >= start.frames &+ inside
            if isSettled { measured = amount }
            return nil
        }
        guard amount.time - first.time >= Self.measuring, let after = amount.bitrate(since: first) else { return nil }
        let isIgnored = before > 0 && after > asked * 1.15 && after > before * pixelShare * 0.9
        return (isIgnored ? .ignored(before: before, after: after, asked: asked) : .obeyed, after)
    }
}
