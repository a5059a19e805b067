/// How much lies in a queue: frames, bytes and time.
///
/// Time is what lies between the end of the last frame that came and the end of the last that left.
public struct LevelMeter: Sendable, Equatable {
    public private(set) var buffers: UInt32 = 0
    public private(set) var bytes: UInt64 = 0
    /// Nanoseconds.
    public private(set) var time: UInt64 = 0
    private var entranceAt: Int64?
    private var exitAt: Int64?
    /// Where time begins while nothing has left yet.
    private var beganAt: Int64?

    public init() {}

    public mutating func entered(_ frame: QueuedFrame) {
        buffers &+= frame.count
        bytes &+= frame.bytes
        timePassedEntrance(from: frame.startsAt, to: frame.endsAt)
    }

    public mutating func left(_ frame: QueuedFrame) {
        buffers = buffers >= frame.count ? buffers - frame.count : 0
        bytes = bytes >= frame.bytes ? bytes - frame.bytes : 0
        timePassedExit(to: frame.endsAt)
    }

    /// A frame, or a gap without one, went in.
    public mutating func timePassedEntrance(from start: Int64?, to end: Int64?) {
        if beganAt == nil { beganAt = start }
        if let end { entranceAt = end }
        update()
    }

    /// A frame, or a gap without one, went out.
    public mutating func timePassedExit(to end: Int64?) {
        if let end { exitAt = end }
        update()
        if buffers == 0 { time = 0 }
    }

    public func isFull(_ limits: BackpressureLimits) -> Bool {
        (limits.maxBuffers > 0 && buffers >= limits.maxBuffers)
            || (limits.maxBytes > 0 && bytes >= UInt64(limits.maxBytes))
            || (limits.maxTime > 0 && time >= limits.maxTime)
    }

    /// Whether there is more than the limits allow, which only happens when they are lowered.
    public func exceeds(_ limits: BackpressureLimits) -> Bool {
        (limits.maxBuffers > 0 && buffers > limits.maxBuffers)
            || (limits.maxBytes > 0 && bytes > UInt64(limits.maxBytes))
            || (limits.maxTime > 0 && time > limits.maxTime)
    }

    private mutating func update() {
        guard let entranceAt, let since = exitAt ?? beganAt, entranceAt >= since else {
            time = 0
            return
        }
        // From the most negative time to the latest it is more than an Int64 holds, but never more than a UInt64.
        time = UInt64(bitPattern: entranceAt &- since)
    }
}
