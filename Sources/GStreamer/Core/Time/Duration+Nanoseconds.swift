import CGStreamer

extension Duration {
    /// Nil for `GST_CLOCK_TIME_NONE`.
    init?(_ time: GstClockTime) {
        guard let time = valid(time) else { return nil }
        self.init(wholeNanoseconds: time)
    }

    /// As `nanoseconds(_:)`, which takes ten instructions more to check for overflow.
    @inline(__always) init(wholeNanoseconds: UInt64) {
        self.init(attoseconds: Int128(wholeNanoseconds) &* 1_000_000_000)
    }

    /// As `nanoseconds(_:)`, which takes ten instructions more to check for overflow.
    @inline(__always) init(wholeNanoseconds: Int64) {
        self.init(attoseconds: Int128(wholeNanoseconds) &* 1_000_000_000)
    }

    /// The nanoseconds, clamped to 64 bits: the unit of GStreamer's properties and messages.
    public var wholeNanoseconds: Int64 {
        let attoseconds = attoseconds
        // 64 bits hold 9 seconds of attoseconds, and divide faster than 128.
        if let short = Int64(exactly: attoseconds) { return short / 1_000_000_000 }
        return Int64(clamping: attoseconds / 1_000_000_000)
    }
}

extension UInt64 {
    /// The nanoseconds of `time`, clamped to 64 bits without sign: the unit of GStreamer's clock.
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
    /// Nil is `GST_CLOCK_TIME_NONE`; times before 0 are 0.
    init(_ time: Duration?) { self = time.map { GstClockTime(UInt64(nanosecondsOf: $0)) } ?? .max }
}
