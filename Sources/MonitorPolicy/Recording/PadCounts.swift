/// Counts of one pad since the start, as read at one time; all of them only rise.
public struct PadCounts: Sendable, Equatable {
    /// Role of the pad, which determines its figures.
    public var role: PadRecord.Role
    /// Number of frames that passed.
    public var frames: UInt64
    /// Sum of the sizes of the frames, in bytes.
    public var bytes: UInt64
    /// Time that pushes were blocked downstream, in nanoseconds.
    public var blocked: UInt64
    /// Time spent on the frames of this sink pad, without pushes downstream, in nanoseconds.
    public var own: UInt64 = 0
    /// Number of frames that left by this source pad after a later one had entered by the only sink pad.
    public var held: UInt64 = 0
    /// Number of frames that entered by the only sink pad and did not leave by this source pad.
    public var dropped: UInt64
    /// Number of frames that left as a copy, or with a PTS that no entered frame has.
    var strangers: UInt64 = 0
    /// Number of frames that left by this source pad but entered before the monitor began.
    public var earlier: UInt64 = 0
    /// Latencies through the element; nil for other roles than `source`.
    public var transit: LatencyCounts?
    /// Ages since the source.
    public var age: LatencyCounts

    static func += (one: inout Self, other: Self) {
        one.frames &+= other.frames
        one.bytes &+= other.bytes
        one.blocked &+= other.blocked
        one.own &+= other.own
        one.held &+= other.held
        one.dropped &+= other.dropped
        one.strangers &+= other.strangers
        one.earlier &+= other.earlier
        one.transit = one.transit.map { transit in
            var sum = transit
            if let other = other.transit { sum += other }
            return sum
        }
        one.age += other.age
    }
}
