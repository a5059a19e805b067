/// Where a full queue loses frames, if it does.
public enum Leak: Int32, Sendable, CaseIterable, Equatable {
    /// Nowhere: who brings a frame waits.
    case none
    /// At the entrance: the newest frame is lost.
    case upstream
    /// At the exit: the oldest frame is lost.
    case downstream
    /// `downstream` for a live source, `none` for any other.
    case automatic
}

/// What a queue may hold and let out.
///
/// 0 stands for no limit where nothing else is said. Times are nanoseconds.
public struct BackpressureLimits: Sendable, Equatable {
    /// With all three sizes 0 they are automatic: see `WaitingBounds`.
    public var maxBuffers: UInt32 = 0
    public var maxBytes: UInt32 = 0
    public var maxTime: UInt64 = 0
    public var leak = Leak.automatic
    /// How long a frame may wait in the queue before it is of no use.
    public var maxLatency: UInt64 = 0
    /// 0 stands for a number that is learned from the stream; see `InFlightLimit`.
    public var maxInFlight: UInt32 = 0
    /// When a frame that is out is taken for lost; 0 for never.
    public var inFlightTimeout: UInt64 = 2_000_000_000
    /// False makes a plain queue of it.
    public var isEnabled = true

    /// The `maxInFlight` that stands for as many as there are.
    public static let unlimited = UInt32.max
    /// The sizes of `queue`, in force where the automatic sizes must not depend on the time that frames wait.
    static let plainBuffers: UInt32 = 200
    static let plainBytes: UInt64 = 10_485_760
    static let plainTime: UInt64 = 1_000_000_000
    /// The most that waits while sizes are automatic and frames may be dropped: 21 frames of 1920x1080 in NV12.
    static let automaticBytes: UInt64 = 67_108_864

    public init() {}

    /// Whether the queue decides itself how much waits.
    public var hasAutomaticSizes: Bool { maxBuffers == 0 && maxBytes == 0 && maxTime == 0 }

    /// Whether a queue is full of the same amount as with `other`.
    public func hasSameSizes(as other: Self) -> Bool {
        (maxBuffers, maxBytes, maxTime, leak) == (other.maxBuffers, other.maxBytes, other.maxTime, other.leak)
    }

    /// Whether frames that are out are counted.
    public var countsFrames: Bool { isEnabled && maxInFlight != Self.unlimited }
}

/// What the policy must know of a frame, or of several that go together.
public struct QueuedFrame: Sendable, Equatable {
    public var count: UInt32 = 1
    public var bytes: UInt64 = 0
    /// Running times in nanoseconds of the first frame's beginning and the last one's end.
    public var startsAt: Int64?
    public var endsAt: Int64?
    /// When it came to the queue, by the clock that `now` is read from.
    public var enteredAt: UInt64 = 0
    /// How old it was then: the pipeline's running time less that of its PTS; nil without a clock or a PTS.
    public var ageOnEntry: Int64?
    /// Useless without those before it: none of the frames is a key unit.
    public var isDelta = false
    /// No other frame refers to it: it can be dropped alone, also from within a group of pictures.
    public var isDisposable = false
    /// How many of the frames describe the stream; these are never dropped.
    public var headerCount: UInt32 = 0

    public init() {}

    public var isDroppable: Bool { headerCount < count }
}

/// Why a frame was dropped.
public enum DropReason: Int, Sendable, CaseIterable, Equatable {
    /// It waited too long, or the queue was full, while too many frames were out.
    case inFlight
    /// It waited too long, or the queue was full, while the thread behind it was busy.
    case full
    /// Its deadline had passed, or it had waited longer than `maxLatency`.
    case late
    /// One before it was dropped, and it cannot be decoded without that.
    case waitingForKeyUnit
    /// The queue was emptied: a flush, an error, the end.
    case flushed
}
