import Durations

/// Drop policy of a full queue.
public enum Leak: Int32, Sendable, CaseIterable, Equatable {
    /// Drops nothing: upstream is blocked until there is room.
    case none
    /// Drops the newest frame, at the entrance.
    case upstream
    /// Drops the oldest frame, at the exit.
    case downstream
    /// Acts as `downstream` if the source is live, and as `none` if it is not.
    case automatic
}

/// Limits of the queue level and of the frames in flight; 0 disables each limit except `maxInFlight`.
public struct BackpressureLimits: Sendable, Equatable {
    /// Maximum number of frames in the queue.
    ///
    /// If `maxBuffers`, `maxBytes` and `maxTime` are all 0, the sizes are automatic: see `WaitingBounds`.
    public var maxBuffers: UInt32 = 0
    /// Maximum amount of data in the queue, in bytes.
    public var maxBytes: UInt32 = 0
    /// Maximum duration of the data in the queue.
    public var maxTime = Duration.zero
    /// Drop policy of a full queue.
    public var leak = Leak.automatic
    /// Maximum time that a frame waits in the queue; an older frame is dropped at the exit.
    public var maxLatency = Duration.zero
    /// Maximum number of frames in flight.
    ///
    /// 0 derives the limit from the stream (`InFlightLimit`); `unlimited` disables it.
    public var maxInFlight: UInt32 = 0
    /// A frame in flight expires after this time plus the latency, and no longer counts; 0 disables the timeout.
    public var inFlightTimeout = Duration.seconds(2)
    /// Whether the backpressure policy applies; if false, the element behaves as a plain queue.
    public var isEnabled = true

    /// Value of `maxInFlight` that disables the limit.
    public static let unlimited = UInt32.max
    /// Default sizes of the element `queue`; they apply if all sizes are 0 and no frame is dropped because of its delay
    /// (promised in docs/elements/backpressurequeue.md).
    static let plainBuffers: UInt32 = 200
    static let plainBytes: UInt64 = 10_485_760
    /// Default time of the element `queue` (promised in docs/elements/backpressurequeue.md).
    static let plainTime = Duration.seconds(1)
    /// Maximum number of bytes in the queue while sizes are automatic and frames may be dropped, enough for 21 frames
    /// of 1920x1080 in NV12.
    static let automaticBytes: UInt64 = 67_108_864

    public init() {}

    /// Whether all three sizes are 0, so that the queue derives its size from the stream.
    @inlinable var hasAutomaticSizes: Bool { maxBuffers == 0 && maxBytes == 0 && maxTime == .zero }

    func hasSameSizes(as other: Self) -> Bool {
        (maxBuffers, maxBytes, leak) == (other.maxBuffers, other.maxBytes, other.leak) && maxTime == other.maxTime
    }
}

/// Description of a frame, or of the frames of one buffer list, for the policy.
@frozen
public struct QueuedFrame: Sendable, Equatable {
    /// Number of frames; 0 marks an event or a query.
    public var count: UInt32 = 1
    /// Number of frames marked HEADER, which are never dropped.
    public var headerCount: UInt32 = 0
    /// Total size in bytes.
    public var bytes: UInt64 = 0
    @usableFromInline var start = OptionalTime()
    @usableFromInline var end = OptionalTime()
    @usableFromInline var age = OptionalTime()
    @usableFromInline var presented = OptionalTime()
    /// Time at which the frame entered the queue, by the clock of `now`.
    public var enteredAt = Duration(attoseconds: 0)
    /// Whether no frame is a key unit, so that decoding requires the preceding frames.
    public var isDelta = false
    /// Whether no other frame refers to this frame, so that all others can be decoded if this frame is dropped.
    public var isDisposable = false

    @inlinable public init() {}

    /// Running time of the start of the first frame.
    @inlinable public var startsAt: Duration? {
        get { start.time }
        set { start.time = newValue }
    }

    /// Running time of the end of the last frame.
    @inlinable public var endsAt: Duration? {
        get { end.time }
        set { end.time = newValue }
    }

    /// Running time of the PTS of the first frame.
    @inlinable public var presentedAt: Duration? {
        get { presented.time }
        set { presented.time = newValue }
    }

    /// Running time of the pipeline at the entry, minus the running time of the PTS; nil without a clock or a PTS.
    @inlinable public var ageOnEntry: Duration? {
        get { age.time }
        set { age.time = newValue }
    }

    /// Time at which the age was 0, by the clock of `now`; nil if unknown.
    @inlinable public var bornAt: Duration? { ageOnEntry.map { enteredAt - $0 } }

    /// Whether at least one frame is not a header.
    public var isDroppable: Bool { headerCount < count }
}

/// Reason for a drop, reported in `stats` and in the drop message.
public enum DropReason: Int, Sendable, CaseIterable, Equatable {
    /// The delay was too long, or the queue was full, while the limit of frames in flight was reached.
    case inFlight
    /// The delay was too long, or the queue was full, while the streaming thread of the source pad was busy.
    case full
    /// The frame was past its deadline, or it waited longer than `maxLatency`.
    case late
    /// The frame cannot be decoded, because a frame that it refers to was dropped.
    case waitingForKeyUnit
    /// FLUSH_STOP, an error, EOS from downstream or a state change flushed the queue.
    case flushed
}

/// A time that may be unknown, in the 16 bytes of a `Duration`; a `Duration?` takes 24 bytes.
///
/// A `QueuedFrame` holds four such times, and the queue copies it several times per frame.
@frozen
@usableFromInline
struct OptionalTime: Sendable, Equatable {
    /// The time; the lowest value of `Duration`, about -5 x 10^12 years, marks an unknown time.
    @usableFromInline var raw: Duration

    @inlinable init() { raw = Duration(attoseconds: .min) }

    @inlinable var time: Duration? {
        get { raw.attoseconds == .min ? nil : raw }
        set { raw = newValue ?? Duration(attoseconds: .min) }
    }
}
