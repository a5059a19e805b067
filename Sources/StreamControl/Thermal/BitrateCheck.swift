/// What has gone through an encoder so far.
public struct EncodedAmount: Sendable, Equatable {
    public var bytes: UInt64
    /// How much of the stream that was, by its timestamps.
    public var time: Duration
    public var frames: UInt64

    public init(bytes: UInt64 = 0, time: Duration = .zero, frames: UInt64 = 0) {
        (self.bytes, self.time, self.frames) = (bytes, time, frames)
    }

    /// Bits per second of stream since `start`; nil when that is no time.
    func bitrate(since start: Self) -> Double? {
        let seconds = (time - start.time) / .seconds(1)
        return seconds > 0 ? Double(bytes &- min(start.bytes, bytes)) * 8 / seconds : nil
    }
}

/// What an encoder makes while nobody holds it down.
public struct UsualBitrate: Sendable {
    private var start: EncodedAmount?
    private var pixels = 0.0
    /// Bits per second, and of how many pixels; nil until a second of stream has come out.
    private var found: (bits: Double, pixels: Double)?

    public init() {}

    /// So many `pixels` a second are being encoded.
    public mutating func look(_ amount: EncodedAmount, pixels: Double) {
        if pixels != self.pixels { start = nil }
        self.pixels = pixels
        let start = start ?? amount
        self.start = start
        guard amount.time - start.time >= .seconds(1), let bits = amount.bitrate(since: start) else { return }
        found = (bits, pixels)
        self.start = amount
    }

    /// What comes out now does not count.
    public mutating func pause() { start = nil }

    public var bitsPerSecond: Double? { found?.bits }

    /// What it would be for so many pixels a second, if it were the same for each.
    public func bitsPerSecond(pixels: Double) -> Double? {
        found.map { $0.pixels > 0 && pixels > 0 ? $0.bits * pixels / $0.pixels : $0.bits }
    }

    /// How many pixels there are now, by how many there were.
    public func pixelShare(_ pixels: Double) -> Double {
        guard let found, found.pixels > 0, pixels > 0 else { return 1 }
        return pixels / found.pixels
    }
}

/// Finds out whether an encoder has obeyed.
///
/// Time is that of the stream: a pause is none, and a file that is encoded faster than it plays is no higher bitrate.
public struct BitrateCheck: Sendable {
    public enum Verdict: Sendable, Equatable {
        case obeyed
        /// Bits per second before and after, and what was asked for.
        case ignored(before: Double, after: Double, asked: Double)
    }

    public static let settling = Duration.seconds(2)
    public static let measuring = Duration.seconds(4)

    private let before: Double
    private let asked: Double
    private let inside: UInt64
    private var pixelShare = 1.0
    private var start: EncodedAmount
    private var measured: EncodedAmount?

    /// `before` and `asked` are bits per second; so many frames were `inside`, looking ahead.
    public init(before: Double, asked: Double, inside: UInt64, at amount: EncodedAmount) {
        self.before = before
        self.asked = asked
        self.inside = inside
        start = amount
    }

    /// Nil while it is too early to tell.
    ///
    /// An encoder that makes less than it may needs not change, and one that never kept to its bitrate has ignored it
    /// only when nothing changes. `pixelShare` says how many pixels of those before are left: with fewer, less comes out
    /// of an encoder that does not obey as well. When that changes, the measurement begins anew.
    public mutating func look(
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
