import CGStreamer

extension Duration {
    /// Converts a clock time; nil for `GST_CLOCK_TIME_NONE`.
    init?(_ time: GstClockTime) {
        guard let time = valid(time) else { return nil }
        self.init(wholeNanoseconds: time)
    }

    /// Equals `nanoseconds(_:)` without its check for overflow, which takes ten instructions.
    @inline(__always) init(wholeNanoseconds: UInt64) {
        self.init(attoseconds: Int128(wholeNanoseconds) &* 1_000_000_000)
    }

    /// Equals `nanoseconds(_:)` without its check for overflow, which takes ten instructions.
    @inline(__always) init(wholeNanoseconds: Int64) {
        self.init(attoseconds: Int128(wholeNanoseconds) &* 1_000_000_000)
    }

    /// The number of whole nanoseconds, clamped to `Int64`.
    public var wholeNanoseconds: Int64 {
        let attoseconds = attoseconds
        // A 64-bit division is faster, and 64 bits are enough for 9 s.
        if let short = Int64(exactly: attoseconds) { return short / 1_000_000_000 }
        return Int64(clamping: attoseconds / 1_000_000_000)
    }
}

extension UInt64 {
    /// The number of whole nanoseconds of `time`, clamped to `UInt64`: the unit of `GstClockTime`.
    public init(nanosecondsOf time: Duration) {
        let attoseconds = time.attoseconds
        if let short = UInt64(exactly: attoseconds) {
            self = short / 1_000_000_000
        } else {
            self = UInt64(clamping: attoseconds / 1_000_000_000)
        }
    }
}

extension GstClockTime {
    /// Converts a time; nil gives `GST_CLOCK_TIME_NONE`, and a negative time gives 0.
    init(_ time: Duration?) { self = time.map { GstClockTime(UInt64(nanosecondsOf: $0)) } ?? .max }
}
