/// Counts of one pad since the start, as read at one time; all of them only rise.
public struct PadCounts: Sendable, Equatable {
    /// Role of the pad.
    public var role: PadRecord.Role
    /// Counts that the pad adds to those of its element.
    public var counts: ElementCounts
    /// Number of frames that entered by the only sink pad and did not leave by this source pad.
    public var dropped: UInt64
    /// Number of frames that left as a copy, without a PTS, or with another PTS than the frame that is found for them.
    var strangers: UInt64
}
