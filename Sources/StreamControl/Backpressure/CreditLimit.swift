/// How many frames may be in flight when nobody says.
///
/// By Little's law as many frames are under way as begin during the pipeline's latency. To these come one that a sink
/// keeps to show again and one that is being worked on.
public struct CreditLimit: Sendable, Equatable {
    /// What is taken for a frame's duration while the stream has not told it: 30 frames a second.
    public static let presumedDuration: UInt64 = 33_333_333
    static let most: UInt32 = 4096

    /// What sinks were told to wait; nanoseconds.
    public var latency: UInt64 = 0
    /// What downstream said that it needs: sinks that do not wait are told nothing of it.
    public var foundLatency: UInt64 = 0
    var longestLatency: UInt64 { max(latency, foundLatency) }
    /// What the caps say, in nanoseconds; nil where they do not.
    public var frameDuration: UInt64?
    /// The mean of what frames have lasted, in nanoseconds; nil while none has said.
    private var meanDuration: UInt64?
    /// How many more downstream has been seen to keep without giving any back; few, or a sink that nobody empties
    /// would be filled without end.
    private var learned: UInt32 = 0
    static let mostLearned: UInt32 = 4

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
        let duration = max(frameDuration ?? meanDuration ?? Self.presumedDuration, 1)
        let (frames, rest) = longestLatency.quotientAndRemainder(dividingBy: duration)
        return UInt32(clamping: min(frames + (rest > 0 ? 1 : 0), UInt64(Self.most))) + 2
    }

    /// A frame came that lasts this long: audio and many encoded streams have no framerate in their caps.
    public mutating func frameLasted(_ duration: UInt64) {
        // One odd frame must not move the limit far.
        meanDuration = meanDuration.map { $0 - $0 / 8 + duration / 8 } ?? duration
    }

    /// All frames are out and none comes back: downstream keeps one more than was thought.
    public mutating func standsStill() { learned = min(learned + 1, Self.mostLearned) }

    /// One came back while no more were sent: downstream was only slow.
    public mutating func releasedUnasked() { learned = learned > 0 ? learned - 1 : 0 }

    /// The stream begins anew.
    public mutating func reset() {
        latency = 0
        foundLatency = 0
        learned = 0
        meanDuration = nil
    }
}
