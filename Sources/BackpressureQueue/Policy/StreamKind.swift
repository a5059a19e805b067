/// Dependencies between the frames of a stream, which determine how frames are dropped.
///
/// `WaitingBounds` differ by kind; `docs/elements/backpressurequeue.md` lists them.
public enum StreamKind: UInt8, Sendable, CaseIterable, Equatable {
    /// Raw video and still images.
    ///
    /// Each frame is independent, so single frames are dropped.
    case pictures
    /// Audio, and any other stream.
    ///
    /// Each gap is audible, so one contiguous run is dropped.
    case samples
    /// Encoded video.
    ///
    /// Frames refer to earlier frames, so whole groups of pictures are dropped.
    case groups

    /// Derives the kind from the name of the caps, such as `video/x-raw`.
    public init(capsName name: String) {
        if ["video/x-raw", "video/x-bayer", "video/x-dv"].contains(name) || name.hasPrefix("image/") {
            self = .pictures
        } else if name.hasPrefix("video/") {
            self = .groups
        } else {
            self = .samples
        }
    }

    /// Value of the field `kind` in `stats`.
    public var name: String {
        switch self {
        case .pictures: "pictures"
        case .samples: "samples"
        case .groups: "groups"
        }
    }
}

/// Bounds of the delay in a queue with automatic sizes, in nanoseconds.
public struct WaitingBounds: Sendable, Equatable {
    /// Longest delay that is normal.
    ///
    /// A longer delay that lasts shows that downstream is slower than the stream.
    public let normal: UInt64
    /// Longest delay while downstream is slower than the stream.
    public let whileOverloaded: UInt64
    /// Longest time past the deadline while downstream is not overloaded.
    public let pastDeadline: UInt64
    /// Longest time past the deadline while downstream is overloaded.
    public let pastDeadlineWhileOverloaded: UInt64
    /// Longest delay while downstream is not overloaded.
    ///
    /// A stall up to this duration drops no frame.
    public let longest: UInt64
    /// Delay down to which a run of frames is dropped.
    public let afterDrop: UInt64

    /// Jitter of timers and thread scheduling.
    private static let jitter: UInt64 = 20_000_000
    private static let second: UInt64 = 1_000_000_000

    /// Bounds for a stream with frames of `duration` nanoseconds.
    public init(_ kind: StreamKind, frameDuration duration: UInt64) {
        // A duration above one hour comes from a damaged stream.
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
