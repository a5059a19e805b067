/// How the frames of a stream depend on each other, which decides how they are dropped.
///
/// The bounds of `WaitingBounds` differ by kind; `docs/elements/backpressurequeue.md` lists them.
public enum StreamKind: UInt8, Sendable, CaseIterable, Equatable {
    /// Each frame can be shown without the others: raw video and still images. Single frames are dropped.
    case pictures
    /// Each gap is heard, so one contiguous run is dropped: audio, and any stream that is not known.
    case samples
    /// Frames refer to earlier frames: encoded video. Whole groups of pictures are dropped.
    case groups

    /// The kind of a stream with the caps name `name`, such as `video/x-raw`.
    public init(capsName name: String) {
        if ["video/x-raw", "video/x-bayer", "video/x-dv"].contains(name) || name.hasPrefix("image/") {
            self = .pictures
        } else if name.hasPrefix("video/") {
            self = .groups
        } else {
            self = .samples
        }
    }

    /// The name in `stats`.
    public var name: String {
        switch self {
        case .pictures: "pictures"
        case .samples: "samples"
        case .groups: "groups"
        }
    }
}

/// How long frames of a stream may wait in a queue whose sizes are automatic; all in nanoseconds.
public struct WaitingBounds: Sendable, Equatable {
    /// A delay up to this is normal.
    ///
    /// A longer one that lasts shows that downstream is slower than the stream.
    public let normal: UInt64
    /// The longest delay while downstream is slower than the stream.
    public let whileOverloaded: UInt64
    /// How far a frame may be past its deadline before it is dropped, while downstream is not overloaded.
    public let pastDeadline: UInt64
    /// The same while downstream is overloaded.
    public let pastDeadlineWhileOverloaded: UInt64
    /// The longest delay while downstream is not overloaded: a stall up to this loses nothing.
    public let longest: UInt64
    /// The delay down to which a run is dropped, once dropping has begun.
    public let afterDrop: UInt64

    /// Timers and threads are never more exact than this.
    private static let jitter: UInt64 = 20_000_000
    private static let second: UInt64 = 1_000_000_000

    /// The bounds of a stream whose frames last `duration` nanoseconds each.
    public init(_ kind: StreamKind, frameDuration duration: UInt64) {
        // Durations beyond an hour come from damaged streams.
        let frame = min(max(duration, 1), 3600 * Self.second)
        longest = max(Self.second, 4 * frame)
        switch kind {
        case .pictures:
            normal = max(frame, Self.jitter)
            whileOverloaded = max(frame + (frame / 2), Self.jitter / 4)
            pastDeadline = max(2 * frame, 2 * Self.jitter)
            pastDeadlineWhileOverloaded = min(frame / 4, Self.jitter / 4)
            afterDrop = whileOverloaded
        case .samples:
            normal = max(200_000_000, 2 * frame)
            (whileOverloaded, pastDeadline, pastDeadlineWhileOverloaded) = (normal, normal, normal)
            afterDrop = frame
        case .groups:
            normal = max(300_000_000, 2 * frame)
            (whileOverloaded, pastDeadline, pastDeadlineWhileOverloaded) = (normal, normal, normal)
            afterDrop = normal / 2
        }
    }
}
