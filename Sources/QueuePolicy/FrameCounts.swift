/// Counters of frames: `entered` equals `out` plus `dropped` plus the number of frames in the queue.
public struct FrameCounts: Sendable {
    /// Number of frames that arrived.
    public private(set) var entered: UInt64 = 0
    /// Number of frames that were pushed.
    public private(set) var out: UInt64 = 0
    /// Number of pushed frames that were not released in time.
    public private(set) var expired: UInt64 = 0
    /// Largest number of frames in flight.
    public private(set) var mostInFlight: UInt32 = 0
    /// Number of dropped frames for each `DropReason.rawValue`; an `InlineArray` is not allocated on the heap.
    private var drops = InlineArray<5, UInt64>(repeating: 0)

    public init() {}

    /// Number of frames that were dropped for any reason.
    public var dropped: UInt64 { drops.indices.reduce(0) { $0 &+ drops[$1] } }

    /// Number of frames that were dropped for one reason.
    public func dropped(_ reason: DropReason) -> UInt64 { drops[reason.rawValue] }

    mutating func enter(_ count: UInt32) { entered &+= UInt64(count) }
    mutating func leave(_ count: UInt32) { out &+= UInt64(count) }
    mutating func expire() { expired &+= 1 }
    mutating func record(inFlight count: UInt32) { mostInFlight = max(mostInFlight, count) }
    mutating func drop(_ count: UInt32, _ reason: DropReason) { drops[reason.rawValue] &+= UInt64(count) }
}
