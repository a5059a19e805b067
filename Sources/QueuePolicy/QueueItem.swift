import Durations

/// Content of a queue item: a frame, a list of frames, a serialized event or a serialized query.
public protocol QueueContent: ~Copyable {
    /// Kind of the event; nil for frames and queries.
    var lifeEvent: QueueLife.EventKind? { get }
    /// Address of the query; nil for frames and events.
    var queryAddress: UInt? { get }
    /// Sets the count, size and flags of `frame` from the content.
    func measure(_ frame: inout QueuedFrame)
    /// Removes and returns the frames of `part`; nil if there are none, or if the content is not a list.
    mutating func split(_ part: SplitPart) -> Self?
}

/// Frames to split off an item.
public enum SplitPart: Sendable {
    /// This many frames from the start.
    case first(UInt32)
    /// The frames that are not headers.
    case unwanted
}

/// An item of a queue; frozen so that other modules can consume its fields separately.
@frozen
public struct QueueItem<Content: QueueContent & ~Copyable>: ~Copyable {
    /// The frame, list, event or query.
    public var content: Content
    /// Description of the frames; for an event or a query, `count` is 0, and `endsAt` is the end of a GAP event.
    public var frame: QueuedFrame
    /// Whether a frame before this item was dropped.
    public var isDiscontinuity = false
    /// Whether the item is in the trash and the source pad must store its event.
    public var mustBeStored = false

    /// Creates an item of frames.
    @inlinable
    public init(_ content: consuming Content, _ frame: QueuedFrame, isDiscontinuity: Bool = false) {
        self.content = content
        self.frame = frame
        self.isDiscontinuity = isDiscontinuity
    }

    /// Creates an item of an event or a query.
    @inlinable
    public init(_ content: consuming Content) {
        self.content = content
        frame = QueuedFrame()
        frame.count = 0
    }

    /// Whether the item has frames.
    @inlinable public var isFrame: Bool { frame.count > 0 }

    /// Whether the source pad can store the event without sending it.
    ///
    /// SEGMENT and EOS are excluded, because their position relative to the frames matters.
    @inlinable var canBeStored: Bool {
        let event = content.lifeEvent
        return event == .streamStart || event == .sticky
    }

    @inlinable
    mutating func split(_ part: SplitPart) -> Self? {
        guard let taken = content.split(part) else { return nil }
        var measured = frame
        taken.measure(&measured)
        var item = Self(taken, measured)
        content.measure(&frame)
        if case .first = part {
            // The duration of the list counts as queued until its last part leaves.
            item.frame.endsAt = nil
            item.isDiscontinuity = isDiscontinuity
            isDiscontinuity = false
        }
        return item
    }
}
