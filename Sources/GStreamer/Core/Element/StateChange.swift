import CGStreamer

/// A step from one state of an element to the next.
///
/// The corresponding C type is `GstStateChange`.
public struct StateChange: RawRepresentable, Sendable, Equatable {
    /// The number of the C constant.
    public let rawValue: UInt32

    /// The step with the number of a C constant.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    init(_ raw: GstStateChange) { rawValue = raw.rawValue }
    var raw: GstStateChange { GstStateChange(rawValue: rawValue) }

    /// The element takes what it needs before it knows a stream.
    public static let nullToReady = Self(GST_STATE_CHANGE_NULL_TO_READY)
    /// The pads are activated; a live source produces nothing yet.
    public static let readyToPaused = Self(GST_STATE_CHANGE_READY_TO_PAUSED)
    /// The clock runs.
    public static let pausedToPlaying = Self(GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    /// The clock stands.
    public static let playingToPaused = Self(GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    /// The pads are deactivated; the streaming threads end.
    public static let pausedToReady = Self(GST_STATE_CHANGE_PAUSED_TO_READY)
    /// The element gives back everything.
    public static let readyToNull = Self(GST_STATE_CHANGE_READY_TO_NULL)
}

/// How a state change went.
///
/// The corresponding C type is `GstStateChangeReturn`.
public struct StateChangeResult: RawRepresentable, Sendable, Equatable {
    /// The number of the C constant.
    public let rawValue: UInt32

    /// The result with the number of a C constant.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    init(_ raw: GstStateChangeReturn) { rawValue = raw.rawValue }
    var raw: GstStateChangeReturn { GstStateChangeReturn(rawValue: rawValue) }

    /// It failed; a message on the bus says why.
    public static let failure = Self(GST_STATE_CHANGE_FAILURE)
    /// It is done.
    public static let success = Self(GST_STATE_CHANGE_SUCCESS)
    /// It ends later, for instance when a sink has its first buffer.
    public static let async = Self(GST_STATE_CHANGE_ASYNC)
    /// It is done, and no buffer comes in PAUSED, because the source is live.
    public static let noPreroll = Self(GST_STATE_CHANGE_NO_PREROLL)
}
