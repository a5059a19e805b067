/// What a queue holds: frames, a serialized event or a serialized query.
public protocol QueueContent: ~Copyable {
    /// Which event it is; nil for frames and queries.
    var lifeEvent: QueueLife.EventKind? { get }
    /// The address of a query; nil for frames and events.
    var queryAddress: UInt? { get }
    /// Writes the number, size and flags of the frames that it holds.
    func measure(_ frame: inout QueuedFrame)
    /// Takes the first `count` frames out; nil when that is all, or when they cannot be parted.
    mutating func splitFirst(_ count: UInt32) -> Self?
    /// Takes the frames out that are no headers; nil when there are none.
    mutating func splitUnwanted() -> Self?
}

/// A place in a queue.
///
/// Frozen, so that another module can take it apart.
@frozen
public struct QueueItem<Content: QueueContent & ~Copyable>: ~Copyable {
    public var content: Content
    /// Without frames (`count` is 0) for an event or a query; `endsAt` is then the end of a gap.
    public var frame: QueuedFrame
    /// Something before it was dropped.
    public var isDiscontinuity = false
    /// In the trash: the source pad must store the event.
    public var mustBeStored = false

    @inlinable
    public init(_ content: consuming Content, _ frame: QueuedFrame) {
        self.content = content
        self.frame = frame
    }

    @inlinable
    public init(_ content: consuming Content) {
        self.content = content
        frame = QueuedFrame()
        frame.count = 0
    }

    @inlinable public var isFrame: Bool { frame.count > 0 }

    /// Whether it is an event that the source pad can store without sending it; SEGMENT and EOS belong to frames.
    @inlinable public var canBeStored: Bool {
        let event = content.lifeEvent
        return event == .streamStart || event == .sticky
    }

    /// The first `count` frames, if there are more.
    @inlinable
    mutating func splitFirst(_ count: UInt32) -> Self? {
        guard let first = content.splitFirst(count) else { return nil }
        var part = Self(first, frame)
        part.content.measure(&part.frame)
        // The whole list's time leaves with its last part.
        part.frame.endsAt = nil
        part.isDiscontinuity = isDiscontinuity
        isDiscontinuity = false
        content.measure(&frame)
        return part
    }

    /// The frames that are no headers, if there are any.
    @inlinable
    mutating func splitUnwanted() -> Self? {
        guard let unwanted = content.splitUnwanted() else { return nil }
        var part = Self(unwanted, frame)
        part.content.measure(&part.frame)
        content.measure(&frame)
        return part
    }
}
