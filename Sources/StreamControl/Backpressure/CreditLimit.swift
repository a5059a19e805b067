/// How many frames may be in flight when nobody says.
///
/// By Little's law as many frames are under way as begin during the pipeline's latency. To these come one that a sink
/// keeps to show again and one that is being worked on.
public struct CreditLimit: Sendable, Equatable {
    /// What is taken for a frame's duration while the stream has not told it: 30 frames a second.
    public static let presumedDuration: UInt64 = 33_333_333
    static let most: UInt32 = 4096

    /// What sinks were told to wait, or what the pipeline was found to need; nanoseconds.
    public var latency: UInt64 = 0
    /// Nanoseconds; nil while unknown.
    public var frameDuration: UInt64?
    /// How many more downstream has been seen to keep without giving any back.
    private var learned: UInt32 = 0
    private var hasReleasedSinceExpiry = true

    public init() {}

    /// The limit in force for the property's value; nil for none.
    public func limit(setting: UInt32) -> UInt32? {
        switch setting {
        case BackpressureLimits.unlimited: nil
        case 0: min(derived + learned, Self.most)
        default: setting
        }
    }

    private var derived: UInt32 {
        let duration = max(frameDuration ?? Self.presumedDuration, 1)
        let (frames, rest) = latency.quotientAndRemainder(dividingBy: duration)
        return UInt32(clamping: min(frames + (rest > 0 ? 1 : 0), UInt64(Self.most))) + 2
    }

    /// A frame came back in time.
    public mutating func frameReleased() { hasReleasedSinceExpiry = true }

    /// A frame was given up for lost.
    ///
    /// When none has come back since the one before, downstream needs more to begin at all (an encoder that looks
    /// ahead), and each such wait doubles what it gets.
    public mutating func frameExpired() {
        if !hasReleasedSinceExpiry { learned = min(learned + derived + learned, Self.most) }
        hasReleasedSinceExpiry = false
    }

    /// The stream begins anew.
    public mutating func reset() {
        latency = 0
        learned = 0
        hasReleasedSinceExpiry = true
    }
}
