import Durations

/// Content of a queue item: a frame, a list of frames, a serialized event or a serialized query.
public protocol QueueContent: ~Copyable {
    /// Kind of the event; nil for frames and queries.
    var lifeEvent: QueueLife.EventKind? { get }
    /// Address of the query; nil for frames and events.
    var queryAddress: UInt? { get }
    /// Sets the count, size and flags of `frame` from the content.
    func measure(_ frame: inout QueuedFrame)
    /// Removes and returns the first `count` frames; nil if there are no more, or if the content cannot be split.
    mutating func splitFirst(_ count: UInt32) -> Self?
    /// Removes and returns the frames that are not headers; nil if there are none.
    mutating func splitUnwanted() -> Self?
}

/// An item of a queue; frozen so that other modules can consume its fields separately.
@frozen
public struct QueueItem<Content: QueueContent & ~Copyable>: ~Copyable {
    /// The frame, list, event or query.
    public var content: Content
    /// Description of the frames; `count` is 0 for an event or a query, and `endsAt` is then the end of a gap.
    public var frame: QueuedFrame
    /// Whether a frame before this item was dropped.
    public var isDiscontinuity = false
    /// Whether the item is in the trash and the source pad must store its event.
    public var mustBeStored = false

    /// Creates an item of frames.
    @inlinable
    public init(_ content: consuming Content, _ frame: QueuedFrame) {
        self.content = content
        self.frame = frame
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
    mutating func splitFirst(_ count: UInt32) -> Self? {
        guard let first = content.splitFirst(count) else { return nil }
        var part = Self(first, frame)
        part.content.measure(&part.frame)
        // The duration of the list counts as queued until its last part leaves.
        part.frame.endsAt = nil
        part.isDiscontinuity = isDiscontinuity
        isDiscontinuity = false
        content.measure(&frame)
        return part
    }

    @inlinable
    mutating func splitUnwanted() -> Self? {
        guard let unwanted = content.splitUnwanted() else { return nil }
        var part = Self(unwanted, frame)
        part.content.measure(&part.frame)
        content.measure(&frame)
        return part
    }
}
