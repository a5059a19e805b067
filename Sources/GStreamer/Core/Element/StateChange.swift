import CGStreamer

/// A transition from one state of an element to the next.
///
/// The corresponding C type is `GstStateChange`.
public struct StateChange: RawRepresentable, Sendable, Equatable {
    /// The number of the C constant.
    public let rawValue: UInt32

    /// The state change with the number of a C constant.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    init(_ raw: GstStateChange) { rawValue = raw.rawValue }
    var raw: GstStateChange { GstStateChange(rawValue: rawValue) }

    /// The element allocates resources that do not depend on the stream.
    public static let nullToReady = Self(GST_STATE_CHANGE_NULL_TO_READY)
    /// The pads are activated; a live source produces no buffer yet.
    public static let readyToPaused = Self(GST_STATE_CHANGE_READY_TO_PAUSED)
    /// The clock runs.
    public static let pausedToPlaying = Self(GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    /// The clock stops.
    public static let playingToPaused = Self(GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    /// The pads are deactivated; the streaming threads end.
    public static let pausedToReady = Self(GST_STATE_CHANGE_PAUSED_TO_READY)
    /// The element releases all resources.
    public static let readyToNull = Self(GST_STATE_CHANGE_READY_TO_NULL)
}

/// Result of a state change.
///
/// The corresponding C type is `GstStateChangeReturn`.
public struct StateChangeResult: RawRepresentable, Sendable, Equatable {
    /// The number of the C constant.
    public let rawValue: UInt32

    /// The result with the number of a C constant.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    init(_ raw: GstStateChangeReturn) { rawValue = raw.rawValue }
    var raw: GstStateChangeReturn { GstStateChangeReturn(rawValue: rawValue) }

    /// The state change failed; an error message was posted.
    public static let failure = Self(GST_STATE_CHANGE_FAILURE)
    /// The state change is complete.
    public static let success = Self(GST_STATE_CHANGE_SUCCESS)
    /// The state change completes later, for instance when a sink has received its first buffer.
    public static let async = Self(GST_STATE_CHANGE_ASYNC)
    /// The state change is complete; a live source produces no buffer in PAUSED.
    public static let noPreroll = Self(GST_STATE_CHANGE_NO_PREROLL)
}
