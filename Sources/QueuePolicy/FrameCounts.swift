/// Counters of frames: `entered` equals `out` plus `dropped` plus the frames in the queue.
public struct FrameCounts: Sendable, Equatable {
    /// Frames that arrived.
    public private(set) var entered: UInt64 = 0
    /// Frames that were pushed.
    public private(set) var out: UInt64 = 0
    /// Pushed frames that were not released in time.
    public private(set) var expired: UInt64 = 0
    /// Largest number of frames in flight.
    public private(set) var mostInFlight: UInt32 = 0
    // Separate fields, because an array is allocated on the heap.
    private var inFlight: UInt64 = 0
    private var full: UInt64 = 0
    private var late: UInt64 = 0
    private var waitingForKeyUnit: UInt64 = 0
    private var flushed: UInt64 = 0

    public init() {}

    /// Frames that were dropped, for any reason.
    public var dropped: UInt64 { inFlight &+ full &+ late &+ waitingForKeyUnit &+ flushed }

    /// Frames that were dropped for one reason.
    public func dropped(_ reason: DropReason) -> UInt64 {
        switch reason {
        case .inFlight: inFlight
        case .full: full
        case .late: late
        case .waitingForKeyUnit: waitingForKeyUnit
        case .flushed: flushed
        }
    }

    mutating func enter(_ count: UInt32) { entered &+= UInt64(count) }
    mutating func leave(_ count: UInt32) { out &+= UInt64(count) }
    mutating func expire() { expired &+= 1 }
    mutating func record(inFlight count: UInt32) { mostInFlight = max(mostInFlight, count) }

    mutating func drop(_ count: UInt32, _ reason: DropReason) {
        let count = UInt64(count)
        switch reason {
        case .inFlight: inFlight &+= count
        case .full: full &+= count
        case .late: late &+= count
        case .waitingForKeyUnit: waitingForKeyUnit &+= count
        case .flushed: flushed &+= count
        }
    }
}
