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
