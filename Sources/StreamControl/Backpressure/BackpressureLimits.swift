/// Where a full queue loses frames, if it does.
public enum Leak: Int32, Sendable, CaseIterable, Equatable {
    /// Nowhere: who brings a frame waits.
    case none
    /// At the entrance: the newest frame is lost.
    case upstream
    /// At the exit: the oldest frame is lost.
    case downstream
}

/// What a queue may hold and let out.
///
/// 0 stands for no limit where nothing else is said. Times are nanoseconds.
public struct BackpressureLimits: Sendable, Equatable {
    public var maxBuffers: UInt32 = 1
    public var maxBytes: UInt32 = 0
    public var maxTime: UInt64 = 0
    public var leak = Leak.downstream
    /// How long a frame may wait in the queue before it is of no use.
    public var maxLatency: UInt64 = 0
    /// 0 stands for a number worked out from the stream; see `CreditLimit`.
    public var maxInFlight: UInt32 = 0
    /// When a frame that is out is taken for lost; 0 for never.
    public var inFlightTimeout: UInt64 = 2_000_000_000
    /// False makes a plain queue of it.
    public var isEnabled = true

    /// The `maxInFlight` that stands for as many as there are.
    public static let unlimited = UInt32.max

    public init() {}

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
    /// Useless without those before it: none of the frames is a key unit.
    public var isDelta = false
    /// How many of the frames describe the stream; these are never dropped.
    public var headerCount: UInt32 = 0

    public init() {}

    public var isDroppable: Bool { headerCount < count }
}

/// Why a frame was dropped.
public enum DropReason: Int, Sendable, CaseIterable, Equatable {
    /// The queue was full since too many frames were out.
    case inFlight
    /// The queue was full since the thread behind it was busy.
    case full
    /// It had waited longer than the limit.
    case late
    /// One before it was dropped, and it cannot be decoded without that.
    case waitingForKeyUnit
    /// The queue was emptied: a flush, an error, the end.
    case flushed
}
