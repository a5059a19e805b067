import Durations

/// Chunks of encoded audio that wait for their time, ordered by timestamp, and the formats between them.
///
/// `Format` describes how the following chunks are decoded. All times are of one clock, which the owner reads. The
/// owner also protects the buffer with a mutex. Unless the clock is set back, the buffer refuses chunks from before
/// the end of the audio that it has returned. It has three limits: `capacity`, which the server knows, applies to the
/// encoded audio; `memoryLimit` applies to the memory of all chunks; `maxFormats` applies to the formats.
public struct ChunkBuffer<Payload: Sendable, Format: Sendable>: Sendable {
    /// A chunk with its time.
    public struct Chunk: Sendable {
        /// Encoded audio.
        public var payload: Payload
        /// Time of the first sample.
        public var timestamp: Duration
        /// Duration of the samples; nil if only a decoder can determine it.
        public var duration: Duration?
        /// Size of the payload in bytes.
        public var bytes: Int
        /// Allocated bytes after the payload, for chunks that `extendLast` appends.
        public var room: Int
        /// Number of chunks in the payload.
        @usableFromInline var parts = 1
        /// Number of format changes before the chunk.
        @usableFromInline var generation: Int

        @inlinable init(
            _ payload: Payload, _ timestamp: Duration, _ duration: Duration?, bytes: Int, room: Int, generation: Int
        ) {
            (self.payload, self.timestamp, self.duration) = (payload, timestamp, duration)
            (self.bytes, self.room, self.generation) = (bytes, room, generation)
        }

        @inlinable var end: Duration { timestamp + (duration ?? .zero) }
    }

    /// The result of `extendLast`.
    public enum Extension: Sendable {
        /// The chunk is a part of the last payload.
        case done
        /// The chunk follows the last one, which has no room; the chunk should have room for its successors.
        case next
        /// The chunk needs a payload of its own.
        case refused
    }

    /// The next step of the thread that removes chunks.
    public enum Next: Sendable {
        /// Decode the chunk.
        case chunk(Chunk)
        /// The chunks that follow have this format.
        case format(Format)
        /// Wait until this time or until the buffer changes; if nil, wait until the buffer changes.
        case wait(until: Duration?)
        /// There is no audio between these times.
        case gap(from: Duration, to: Duration)
    }

    /// Maximum number of waiting formats, because a hostile server could send a codec header of 16 KB with each chunk.
    static var maxFormats: Int { 32 }
    /// Maximum gap or overlap between successive chunks that is ignored.
    ///
    /// Timestamps are rounded to microseconds, and durations to samples.
    @inlinable public static var tolerance: Duration { .milliseconds(1) }
    /// Maximum gap or overlap inside a payload of several chunks, less than half a sample at 48 kHz.
    ///
    /// Timestamps are rounded to microseconds.
    @inlinable static var partTolerance: Duration { .microseconds(10) }

    /// Maximum number of bytes in the buffer.
    public let capacity: Int
    /// Memory in bytes that a chunk occupies beside its payload.
    public let chunkCost: Int
    /// Maximum memory in bytes of all chunks, including `chunkCost` of each.
    public let memoryLimit: Int
    /// Time before the timestamp of a chunk at which the chunk is due.
    public var lead: Duration
    /// Counts of accepted, returned and discarded chunks.
    public var counts = ChunkCounts()
    /// Number of bytes in the buffer.
    public var bytes = 0
    /// Allocated bytes without audio.
    @usableFromInline var room = 0
    /// Number of chunks in the last returned payload.
    @usableFromInline var returnedParts = 0

    @usableFromInline var chunks: ChunkRing<Chunk>
    /// Formats that were not returned yet, with their generations.
    @usableFromInline var formats: [(generation: Int, format: Format)] = []
    /// Generation of the next inserted chunks.
    @usableFromInline var generation = 0
    /// Generation of the format that was returned last.
    @usableFromInline var currentGeneration = 0
    /// End of the last returned chunk, or its timestamp if its duration is unknown; earlier chunks are refused.
    @usableFromInline var returnedEnd: Duration?
    /// End of the last returned chunk or gap; a chunk inside a returned gap is still accepted.
    @usableFromInline var position: Duration?
    /// Whether the time from `position` to the next chunk is a gap; false after a chunk of unknown duration.
    @usableFromInline var reportsGaps = false
    /// Whether the clock was set back since the last insertion.
    @usableFromInline var isSetBack = false

    /// Creates an empty buffer; a `memoryLimit` below `capacity` is raised to `capacity`.
    public init(capacity: Int, lead: Duration, chunkCost: Int, memoryLimit: Int) {
        self.capacity = max(capacity, 0)
        self.chunkCost = max(chunkCost, 0)
        self.memoryLimit = max(memoryLimit, capacity)
        self.lead = lead
        chunks = ChunkRing(capacity: 64)
    }

    /// Number of chunks in the buffer.
    public var count: Int { chunks.count }

    /// Timestamp of the next chunk.
    @inlinable public var firstTimestamp: Duration? { chunks.isEmpty ? nil : chunks[0].timestamp }

    /// End of the last chunk, or its timestamp if its duration is unknown.
    @inlinable public var lastTimestamp: Duration? { chunks.isEmpty ? nil : chunks[chunks.count - 1].end }

    /// Discards all chunks at a discontinuity of the timeline, such as a seek; the format remains.
    public mutating func clear() {
        while !chunks.isEmpty { counts.cleared += removeFirst().parts }
        forgetPosition()
        isSetBack = false
    }

    /// Handles a clock that was set back, so that all chunks in the buffer are due later than before.
    ///
    /// If the next inserted chunk starts before the end of the last one, the stream has a new timeline, and all chunks
    /// are discarded. Otherwise, the chunks remain: a server does not send them again, so their loss would be audible.
    public mutating func clockSetBack() {
        forgetPosition()
        isSetBack = true
    }

    private mutating func forgetPosition() { (position, returnedEnd) = (nil, nil) }

    /// Counts the last returned chunk as late, because it could not be played.
    public mutating func discardedReturned() {
        counts.returned -= returnedParts
        counts.lateInBuffer += returnedParts
    }

    /// Discards all chunks and formats for a new stream; the counts remain.
    public mutating func reset() {
        clear()
        formats.removeAll(keepingCapacity: true)
        generation = 0
        currentGeneration = 0
    }
}

/// A double-ended queue whose memory grows but never shrinks.
///
/// An insertion moves the elements before or after the new one, whichever are fewer.
@usableFromInline struct ChunkRing<Element: Sendable>: Sendable {
    @usableFromInline var slots: [Element?]
    @usableFromInline var head = 0
    @usableFromInline var count = 0

    /// `capacity` must be a power of 2.
    init(capacity: Int) { slots = Array(repeating: nil, count: capacity) }

    @inlinable var isEmpty: Bool { count == 0 }

    @inlinable subscript(index: Int) -> Element {
        get {
            precondition(index >= 0 && index < count, "index out of range")
            return slots[slot(index)]!
        }
        set {
            precondition(index >= 0 && index < count, "index out of range")
            slots[slot(index)] = newValue
        }
    }

    @inlinable mutating func insert(_ element: Element, at index: Int) {
        precondition(index >= 0 && index <= count, "index out of range")
        if count == slots.count { grow() }
        count += 1
        if index < count / 2 {
            head = (head - 1) & (slots.count - 1)
            for moved in 0..<index { slots.swapAt(slot(moved), slot(moved + 1)) }
        } else {
            for moved in stride(from: count - 1, to: index, by: -1) { slots.swapAt(slot(moved), slot(moved - 1)) }
        }
        slots[slot(index)] = element
    }

    @inlinable mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head]
        slots[head] = nil
        head = (head + 1) & (slots.count - 1)
        count -= 1
        return element
    }

    mutating func popLast() -> Element? {
        guard count > 0 else { return nil }
        let last = slot(count - 1)
        let element = slots[last]
        slots[last] = nil
        count -= 1
        return element
    }

    @inlinable func slot(_ index: Int) -> Int { (head + index) & (slots.count - 1) }

    @usableFromInline mutating func grow() {
        var larger = [Element?](repeating: nil, count: slots.count * 2)
        for index in 0..<count { larger[index] = slots[slot(index)] }
        slots = larger
        head = 0
    }
}
