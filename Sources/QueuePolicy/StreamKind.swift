import Durations

/// Dependencies between the frames of a stream, which determine how frames are dropped.
///
/// `docs/elements/backpressurequeue.md` lists the `WaitingBounds` of each kind.
public enum StreamKind: UInt8, Sendable, CaseIterable, Equatable {
    /// Raw video and still images: frames are independent, so single frames are dropped.
    case pictures
    /// Audio and other streams: each gap is audible, so one contiguous run is dropped.
    case samples
    /// Encoded video: frames refer to earlier frames, so whole groups of pictures are dropped.
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

    /// Value of the `kind` field of `stats`.
    public var name: String { ["pictures", "samples", "groups"][Int(rawValue)] }
}

extension BackpressurePolicy {
    /// Bounds of the delay in a queue with automatic sizes.
    struct WaitingBounds: Sendable, Equatable {
        /// Longest delay that is normal; a longer delay that lasts shows that downstream is slower than the stream.
        public let normal: Duration
        /// Longest delay while downstream is slower than the stream.
        let whileOverloaded: Duration
        /// Longest time past the deadline while downstream is not overloaded.
        let pastDeadline: Duration
        /// Longest time past the deadline while downstream is overloaded.
        let pastDeadlineWhileOverloaded: Duration
        /// Longest delay while downstream is not overloaded: a stall up to this duration drops no frame.
        public let longest: Duration
        /// Delay at which a run of drops ends.
        let afterDrop: Duration

        /// Jitter of timers and thread scheduling.
        private static let jitter = Duration.milliseconds(20)

        /// Bounds for a stream with frames of `duration`.
        public init(_ kind: StreamKind, frameDuration duration: Duration) {
            // A duration above one hour comes from a damaged stream.
            let frame = min(max(duration, .nanoseconds(1)), .seconds(3600))
            longest = max(.seconds(1), frame * 4)
            switch kind {
            case .pictures:
                normal = max(frame, Self.jitter)
                whileOverloaded = max(frame + (frame / 2), Self.jitter / 4)
                pastDeadline = max(frame * 2, Self.jitter * 2)
                pastDeadlineWhileOverloaded = min(frame / 4, Self.jitter / 4)
                afterDrop = whileOverloaded
            case .samples:
                normal = max(.milliseconds(200), frame * 2)
                (whileOverloaded, pastDeadline, pastDeadlineWhileOverloaded) = (normal, normal, normal)
                afterDrop = frame
            case .groups:
                normal = max(.milliseconds(300), frame * 2)
                (whileOverloaded, pastDeadline, pastDeadlineWhileOverloaded) = (normal, normal, normal)
                afterDrop = normal / 2
            }
        }
    }
}
