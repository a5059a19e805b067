/// What has gone through an encoder so far.
public struct EncodedAmount: Sendable, Equatable {
    public var bytes: UInt64
    /// How much of the stream that was, by its timestamps.
    public var time: Duration
    public var frames: UInt64

    public init(bytes: UInt64 = 0, time: Duration = .zero, frames: UInt64 = 0) {
        (self.bytes, self.time, self.frames) = (bytes, time, frames)
    }

    /// Bits per second of stream since `start`; nil when that is no time.
    func bitrate(since start: Self) -> Double? {
        let seconds = (time - start.time) / .seconds(1)
        return seconds > 0 ? Double(bytes &- min(start.bytes, bytes)) * 8 / seconds : nil
    }
}
