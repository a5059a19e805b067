import Durations

/// Chunks of encoded audio that wait for their time, ordered by timestamp, and the formats between them.
///
/// `Format` describes how the chunks that follow it are decoded. All times are those of one clock. The buffer has no lock
/// and no clock: its owner passes the time in.
///
/// Timestamps that have been returned are not accepted again, unless the clock itself is set back.
///
/// The buffer is bounded in bytes of encoded audio, which is what a server knows, and in memory, which includes the cost of
/// each chunk. The number of formats has its own bound.
public struct ChunkBuffer<Payload: Sendable, Format: Sendable>: Sendable {
    /// A chunk with its time.
    public struct Chunk: Sendable {
        /// Encoded audio.
        public var payload: Payload
        /// Time of the first sample.
        public var timestamp: Duration
        /// Duration of the samples; nil if only a decoder knows it.
        public var duration: Duration?
        /// Size of the payload.
        public var bytes: Int
        /// Number of format changes before the chunk.
        var generation: Int

        /// Time of the end, or of the start if the duration is unknown.
        var end: Duration { timestamp + (duration ?? .zero) }
    }

    /// The next step of the thread that empties the buffer.
    public enum Next: Sendable {
        /// Decode the chunk.
        case chunk(Chunk)
        /// The chunks that follow have this format.
        case format(Format)
        /// Wait until this time, or until the buffer changes; without a time, until it changes.
        case wait(until: Duration?)
        /// There is no audio between these times.
        case gap(from: Duration, to: Duration)
        /// The buffer is closed and empty.
        case end
    }

    /// Highest number of formats that wait: each may hold a codec header of 16 KB, and a hostile server could send one
    /// with each chunk.
    static var maxFormats: Int { 32 }
    /// Difference between the end of a chunk and the start of the next one that is no gap and no overlap.
    ///
    /// Timestamps are rounded to microseconds, and a duration may be that of a rounded number of samples.
    public static var tolerance: Duration { .milliseconds(1) }

    /// Highest number of bytes.
    public let capacity: Int
    /// Memory that a chunk takes beside its bytes.
    public let chunkCost: Int
    /// Highest amount of memory of all chunks, with the cost of each.
    public let memoryLimit: Int
    /// Time before its timestamp at which a chunk is due.
    public var lead: Duration
    /// Counts of accepted, returned and discarded chunks.
    public internal(set) var counts = ChunkCounts()
    /// Time that a chunk takes from the buffer to the output: one that ends earlier than that from now is late.
    public var latency = Duration.zero
    /// Number of bytes that are waiting.
    public internal(set) var bytes = 0
    /// Whether `close` was called.
    public internal(set) var isClosed = false

    var chunks: ChunkRing<Chunk>
    /// Formats that have not been returned yet, with their generation.
    var formats: [(generation: Int, format: Format)] = []
    /// Generation of the chunks that arrive next.
    var generation = 0
    /// Generation of the chunks that are returned.
    var currentGeneration = 0
    /// End of the last chunk that was returned, or its timestamp if its duration is unknown.
    ///
    /// Chunks before it are refused.
    var returnedEnd: Duration?
    /// End of the last chunk or gap that was returned.
    ///
    /// A chunk inside of a gap is accepted: the next chunk may have been far ahead.
    var position: Duration?
    /// Whether a later timestamp than `position` is a gap.
    var reportsGaps = false
    /// Whether the clock was set back since the last chunk arrived.
    var isSetBack = false

    /// An empty buffer for `capacity` bytes; `memoryLimit` is at least as high.
    public init(capacity: Int, lead: Duration, chunkCost: Int, memoryLimit: Int) {
        self.capacity = max(capacity, 0)
        self.chunkCost = max(chunkCost, 0)
        self.memoryLimit = max(memoryLimit, capacity)
        self.lead = lead
        chunks = ChunkRing(capacity: 64)
    }

    /// Number of chunks that are waiting.
    public var count: Int { chunks.count }

    /// Timestamp of the next chunk.
    public var firstTimestamp: Duration? { chunks.isEmpty ? nil : chunks[0].timestamp }

    /// End of the last chunk, or its timestamp if its duration is unknown.
    public var lastTimestamp: Duration? { chunks.isEmpty ? nil : chunks[chunks.count - 1].end }

    /// Discards all chunks at a discontinuity of the timeline, such as a seek.
    ///
    /// The format remains.
    public mutating func clear() {
        counts.cleared += chunks.count
        chunks.removeAll()
        bytes = 0
        forgetPosition()
        isSetBack = false
    }

    /// Follows a clock that was set back, so that all chunks that are waiting are due later than before.
    ///
    /// The next chunk shows whether they are still valid: it follows them, or they are discarded, because the stream has a
    /// new timeline. A server does not send again what it has sent, so discarding valid chunks is silence.
    public mutating func clockSetBack() {
        forgetPosition()
        isSetBack = true
    }

    private mutating func forgetPosition() { (position, returnedEnd) = (nil, nil) }

    /// Counts the chunk that was returned last as late, because it could not be played.
    public mutating func discardedReturned() {
        counts.returned -= 1
        counts.lateInBuffer += 1
    }

    /// Accepts no more chunks; the end follows those that are waiting.
    public mutating func close() { isClosed = true }

    /// Discards all chunks and formats and accepts chunks of a new stream.
    ///
    /// The counts remain.
    public mutating func reset() {
        clear()
        formats.removeAll(keepingCapacity: true)
        generation = 0
        currentGeneration = 0
        isClosed = false
    }
}

/// A double-ended queue in memory that grows but never shrinks.
///
/// Elements enter and leave at any position; those at the shorter side are moved.
struct ChunkRing<Element: Sendable>: Sendable {
    private var slots: [Element?]
    private var head = 0
    private(set) var count = 0

    /// An empty queue with room for `capacity` elements, which must be a power of 2.
    init(capacity: Int) { slots = Array(repeating: nil, count: capacity) }

    var isEmpty: Bool { count == 0 }

    /// The element at `index`, which must be less than `count`.
    subscript(index: Int) -> Element {
        precondition(index >= 0 && index < count, "index out of range")
        // All slots of valid indices are filled.
        return slots[slot(index)]!
    }

    /// Inserts `element` before the one at `index`, or at the end if `index` equals `count`.
    mutating func insert(_ element: Element, at index: Int) {
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

    /// Removes and returns the first element, if there is one.
    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head]
        slots[head] = nil
        head = (head + 1) & (slots.count - 1)
        count -= 1
        return element
    }

    /// Removes and returns the last element, if there is one.
    mutating func popLast() -> Element? {
        guard count > 0 else { return nil }
        let last = slot(count - 1)
        let element = slots[last]
        slots[last] = nil
        count -= 1
        return element
    }

    mutating func removeAll() { while popFirst() != nil {} }

    private func slot(_ index: Int) -> Int { (head + index) & (slots.count - 1) }

    private mutating func grow() {
        var larger = [Element?](repeating: nil, count: slots.count * 2)
        for index in 0..<count { larger[index] = slots[slot(index)] }
        slots = larger
        head = 0
    }
}
