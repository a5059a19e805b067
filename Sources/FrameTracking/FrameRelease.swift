/// The times of a frame that came back, in nanoseconds of one clock.
public struct FrameRelease: Sendable, Equatable {
    /// When the frame entered the queue.
    public let enteredAt: UInt64
    /// When the frame had age 0; nil when that is not known.
    public let bornAt: Int64?
    /// When the frame was pushed.
    public let pushedAt: UInt64
    /// When the last reference to the frame was released.
    public let releasedAt: UInt64

    /// How old the frame was, against its own time, when it was released.
    public var age: Int64? {
        bornAt.flatMap {
            let (age, isTooMuch) = Int64(clamping: releasedAt).subtractingReportingOverflow($0)
            return isTooMuch ? nil : age
        }
    }
}
