import Durations

/// Counts of captured audio since the queue was created.
public struct CaptureCounts: Equatable, Sendable {
    /// Chunks that left the queue.
    public var chunks = 0
    /// Bytes of these chunks.
    public var bytes = 0
    /// Playing time of these chunks.
    public var time = Duration.zero
    /// Buffers, or parts of them, that were dropped because the network was too slow.
    public var overflows = 0
    /// Buffers that were dropped because their data are malformed, or have more than 1 MiB of FLAC or Opus.
    public var malformed = 0
    /// Buffers of FLAC or Opus that were dropped because they exceed the longest chunk of the protocol.
    public var tooLong = 0
    /// Places at which the time of the capture has jumped, also between chunks.
    public var gaps = 0

    /// Creates counts of 0.
    public init() {}
}

/// Captured audio on its way from the streaming thread to the network, bounded in bytes, buffers and age.
///
/// If it is full, the oldest audio is dropped: a server plays live, so audio that arrives late has no use. `append`
/// allocates no memory. PCM leaves in chunks of 20 ms whatever size the buffers have; each buffer of FLAC or Opus is a
/// chunk. No sample is repeated, and none is lost except those counted.
public struct CaptureQueue: Sendable {
    /// A part of the capture that leaves the queue.
    public enum Step: Equatable, Sendable {
        /// The next chunks have another format.
        case format(CaptureFormat)
        /// Audio with the capture time of its first sample on the clock of the pipeline.
        case chunk(time: Duration, payload: [UInt8])
        /// The capture has ended.
        case end
    }

    /// Data of a buffer, or of a part of it.
    private struct Record: Sendable {
        var time: Duration
        var byteCount: Int
        /// Local time at which the buffer arrived.
        var arrival: Duration
    }

    /// Longest wait in the queue; the reference implementation drops captures of this age.
    public static let longestWait = Duration.milliseconds(500)
    /// Playing time of PCM for which the queue has memory.
    private static let memoryTime = Duration.milliseconds(1500)
    private static let leastMemory = 1 << 18
    private static let mostRecords = 1 << 11
    /// Most bytes of a buffer of FLAC or Opus; 150 ms of 8 channels with 24 bits at 192 kHz have 0.7 MB.
    static let longestUnit = 1 << 20
    /// Deviation of a buffer's time from the end of the previous buffer from which it is a gap.
    ///
    /// Times of real devices jitter by some milliseconds; the reference server corrects up to 15 ms by its own.
    static let leastGap = Duration.milliseconds(5)

    /// Format of the next data; nil before the first one, and after the end.
    public private(set) var format: CaptureFormat?
    /// Counts since the queue was created.
    public private(set) var counts = CaptureCounts()
    private var ring = ByteRing(capacity: 0)
    /// Places for `mostRecords` records; none before the first format.
    private var records: [Record] = []
    private var first = 0
    private var recordCount = 0
    /// Formats and ends that wait, each with the number of records that precede it; two never have the same number.
    private var changes: [(after: Int, format: CaptureFormat?)] = []
    /// Format of the first record.
    private var leaving: CaptureFormat?
    /// End of the last chunk that left; nil if the next one does not continue it.
    private var end: Duration?

    /// Creates an empty queue.
    public init() {}

    /// Whether nothing waits.
    public var isEmpty: Bool { recordCount == 0 && changes.isEmpty }

    private subscript(record record: Int) -> Record {
        get { records[(first + record) & (Self.mostRecords - 1)] }
        set { records[(first + record) & (Self.mostRecords - 1)] = newValue }
    }
}

// MARK: - Entrance

extension CaptureQueue {
    /// Begins a format, or ends the capture if it is nil; allocates the memory for it.
    ///
    /// Data of the previous format that do not fit are dropped.
    public mutating func begin(_ format: CaptureFormat?) {
        guard format != self.format else { return }
        self.format = format
        if let last = changes.last, last.after == recordCount { changes.removeLast() }
        changes.append((recordCount, format))
        guard let format else { return }
        if records.isEmpty {
            records = Array(repeating: Record(time: .zero, byteCount: 0, arrival: .zero), count: Self.mostRecords)
        }
        let wanted = max(
            Self.leastMemory, Int(Self.memoryTime / Duration.milliseconds(1)) * format.stream.format.bytesPerMillisecond
        )
        guard wanted != ring.capacity else { return }
        while ring.count > wanted { dropFirst() }
        ring.resize(to: wanted)
    }

    /// Adds the data of a buffer that was captured at `time`; returns false if they are malformed.
    ///
    /// `time` is the capture of the first sample on the clock of the pipeline; `arrival` is the local time.
    @discardableResult
    public mutating func append(_ bytes: borrowing RawSpan, at time: Duration, arrival: Duration) -> Bool {
        guard let format, bytes.byteCount > 0 else { return false }
        while recordCount > 0, arrival - self[record: 0].arrival > Self.longestWait,
            backlog(at: time) > Self.longestWait
        {
            dropFirst()
        }
        guard let frameBytes = format.frameBytes else {
            guard bytes.byteCount <= Self.longestUnit else {
                counts.malformed += 1
                return false
            }
            add(bytes, at: time, arrival: arrival)
            return true
        }
        let frames = bytes.byteCount / frameBytes
        guard frames * frameBytes == bytes.byteCount else {
            counts.malformed += 1
            return false
        }
        // A long buffer has several records, so that an overflow drops only its beginning.
        var start = 0
        while start < frames {
            let end = min(start + format.chunkFrames, frames)
            add(
                bytes.extracting((start * frameBytes)..<(end * frameBytes)), at: time + format.duration(start),
                arrival: arrival)
            start = end
        }
        return true
    }

    /// Playing time that waits while a buffer of `time` arrives.
    ///
    /// If the machine was busy, little waits, although it has waited for a long time; that is not dropped.
    private func backlog(at time: Duration) -> Duration {
        guard let format, let frameBytes = format.frameBytes else { return time - self[record: 0].time }
        return format.duration(ring.count / frameBytes)
    }

    private mutating func add(_ bytes: borrowing RawSpan, at time: Duration, arrival: Duration) {
        guard bytes.byteCount <= ring.capacity else {
            counts.overflows += 1
            return
        }
        while ring.room < bytes.byteCount || recordCount == Self.mostRecords { dropFirst() }
        ring.append(bytes)
        self[record: recordCount] = Record(time: time, byteCount: bytes.byteCount, arrival: arrival)
        recordCount += 1
    }

    private mutating func dropFirst() {
        ring.drop(self[record: 0].byteCount)
        counts.overflows += 1
        removeFirst()
    }

    private mutating func removeFirst() {
        first = (first + 1) & (Self.mostRecords - 1)
        recordCount -= 1
        for index in changes.indices where changes[index].after > 0 { changes[index].after -= 1 }
        // Of formats and ends between which no data remain, only the last one has an effect.
        if changes.count > 1, changes[1].after == 0 { changes.removeFirst() }
    }

    /// Drops all data, which are not counted; the present format, or the end, remains to be returned.
    public mutating func clear() {
        end = nil
        while recordCount > 0 {
            ring.drop(self[record: 0].byteCount)
            removeFirst()
        }
        if let last = changes.last { changes = [(0, last.format)] }
    }

    /// Drops all data, and releases the memory until the next format begins; the counts remain.
    public mutating func releaseMemory() {
        let counts = counts
        self = CaptureQueue()
        self.counts = counts
    }
}

// MARK: - Exit

extension CaptureQueue {
    /// Returns the next part; nil if there is none, or not enough for a chunk.
    ///
    /// It allocates the chunk, so the network thread calls it.
    public mutating func next() -> Step? {
        while true {
            if let change = changes.first, change.after == 0 {
                changes.removeFirst()
                (leaving, end) = (change.format, nil)
                return change.format.map { .format($0) } ?? .end
            }
            guard recordCount > 0, let format = leaving else { return nil }
            if let frameBytes = format.frameBytes { return nextFrames(format, frameBytes) }
            if let chunk = nextUnit(format) { return chunk }
        }
    }

    /// Returns a buffer of FLAC or Opus; nil if it was dropped.
    private mutating func nextUnit(_ format: CaptureFormat) -> Step? {
        let record = self[record: 0]
        var payload: [UInt8] = []
        payload.reserveCapacity(record.byteCount)
        ring.take(record.byteCount, to: &payload)
        removeFirst()
        guard let duration = format.duration(of: payload[...]) else {
            counts.malformed += 1
            end = nil
            return nil
        }
        guard duration <= SourceChunk.longest else {
            counts.tooLong += 1
            end = nil
            return nil
        }
        note(payload, from: record.time, to: record.time + duration, duration)
        return .chunk(time: record.time, payload: payload)
    }

    /// Joins frames to a chunk; nil if there are too few, and more may follow.
    private mutating func nextFrames(_ format: CaptureFormat, _ frameBytes: Int) -> Step? {
        let wanted = format.chunkFrames * frameBytes
        let limit = changes.first?.after ?? recordCount
        let start = self[record: 0].time
        var (count, end, byteCount, isClosed) = (0, start, 0, limit < recordCount || !changes.isEmpty)
        while count < limit, byteCount < wanted {
            let record = self[record: count]
            if Self.isGap(from: end, to: record.time) {
                isClosed = true
                break
            }
            byteCount += record.byteCount
            end = record.time + format.duration(record.byteCount / frameBytes)
            count += 1
        }
        guard byteCount >= wanted || isClosed else { return nil }
        var payload: [UInt8] = []
        payload.reserveCapacity(min(wanted, byteCount))
        var rest = min(wanted, byteCount)
        while rest > 0 {
            let taken = min(rest, self[record: 0].byteCount)
            end = self[record: 0].time + format.duration(taken / frameBytes)
            ring.take(taken, to: &payload)
            rest -= taken
            if taken == self[record: 0].byteCount {
                removeFirst()
            } else {
                self[record: 0].byteCount -= taken
                self[record: 0].time += format.duration(taken / frameBytes)
            }
        }
        note(payload, from: start, to: end, format.duration(payload.count / frameBytes))
        return .chunk(time: start, payload: payload)
    }

    private static func isGap(from end: Duration, to start: Duration) -> Bool {
        let difference = start - end
        return max(difference, .zero - difference) >= leastGap
    }

    /// Counts a chunk that leaves; its times are those of the capture, which jitter, and `duration` its playing time.
    private mutating func note(_ payload: [UInt8], from start: Duration, to end: Duration, _ duration: Duration) {
        if let last = self.end, Self.isGap(from: last, to: start) { counts.gaps += 1 }
        self.end = end
        counts.chunks += 1
        counts.bytes += payload.count
        counts.time += duration
    }
}

extension AudioFormat {
    /// Number of bytes of PCM in a millisecond, which compressed audio does not exceed.
    fileprivate var bytesPerMillisecond: Int { max(sampleRate * channels * max((bitDepth + 7) / 8, 2) / 1000, 1) }
}
