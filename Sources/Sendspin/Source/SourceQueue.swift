import Durations
import GStreamer
import SendspinProtocol
import Threads

/// The queue between the network thread and the streaming thread of `sendspinsrc`.
///
/// Its mutex is a leaf lock; nothing is pushed or posted while it is held.
final class SourceQueue: Sendable {
    enum Timebase: Sendable {
        /// The element has not reached PLAYING yet.
        case stopped
        /// The pipeline has no clock; timestamps count from the server time of the first chunk.
        case none(start: Duration?)
        case clock(ClockReference)
    }

    /// A server time, and what a timestamp is computed from.
    struct Time: Sendable {
        let server: Duration
        let timebase: Timebase
        let estimate: ClockEstimate?
        let shift: Duration
        /// Latency of the pipeline that the timestamps compensate.
        let latency: Duration
        /// The property `output-delay`.
        let delay: Duration
    }

    private let monitor = Monitor(SourceState(), conditions: 1)

    func change<R>(_ body: (inout SourceState) -> R) -> R {
        monitor.change { state in
            defer { monitor.mutex.wake(0) }
            return body(&state)
        }
    }

    /// Stores the counters of the session that plays.
    func note(_ counters: SessionCounters) { monitor.change { $0.session = counters } }

    /// Inserts a chunk; wakes the streaming thread if the chunk is the first one in the queue.
    func insert(
        _ buffer: QueuedBuffer, at timestamp: Duration, duration: Duration?, bytes: Int, room: Int,
        _ counters: SessionCounters
    ) -> ChunkAdmission {
        monitor.change { state in
            state.session = counters
            let first = state.firstTimestamp
            defer { if state.firstTimestamp != first { monitor.mutex.wake(0) } }
            return state.insert(
                buffer, at: timestamp, duration: duration, bytes: bytes, room: room, now: MonotonicClock.now)
        }
    }

    /// Adds a chunk to the buffer of the last one; see `ChunkBuffer.extendLast`.
    func append(
        _ bytes: ArraySlice<UInt8>, at timestamp: Duration, duration: Duration, _ counters: SessionCounters
    ) -> ChunkBuffer<QueuedBuffer, StreamFormat>.Extension {
        monitor.change { state in
            state.session = counters
            return state.append(bytes, at: timestamp, duration: duration, now: MonotonicClock.now)
        }
    }

    func next() -> SourceStep { monitor.await { $0.next(now: MonotonicClock.now) } }
}

enum SourceStep: ~Copyable, Sendable {
    /// Push caps; `isFirst` is true for the first caps of a stream.
    case format(StreamFormat, isFirst: Bool)
    /// The latency of the pipeline counts as final.
    case settled
    case tags(TagList)
    /// Push a buffer that must be rendered at the time `at`.
    case buffer(Buffer, at: SourceQueue.Time, duration: Duration?, isDiscontinuity: Bool)
    /// Push a gap.
    case gap(at: SourceQueue.Time, duration: Duration)
    case streamEnded
    /// Downstream was flushed while no stream plays.
    case flushed
    /// `unlock` was called.
    case unlocked
}

/// Format of a stream and its caps; the network thread creates the caps.
struct StreamFormat: Sendable {
    let format: AudioFormat
    let caps: Caps
}

/// State of the queue of `sendspinsrc`; the mutex of `SourceQueue` protects it.
struct SourceState: Sendable {
    /// Time without a LATENCY event after which the latency of the pipeline counts as final.
    static let settlingTime = Duration.milliseconds(60)
    /// Longest wait for LATENCY events; an application that ignores LATENCY messages causes no events.
    static let longestSettling = Duration.milliseconds(400)
    /// Longest gap that is pushed downstream.
    static let longestGap = Duration.seconds(5)
    /// Smallest backward step of the server's clock after which chunks with earlier times are accepted again.
    static let leastStep = Duration.milliseconds(20)
    /// Time for the decoder and the scheduler before a chunk must be at the sink.
    static let margin = Duration.milliseconds(200)

    /// Memory of a chunk beside its bytes, measured with chunks of one frame: a GstBuffer, its GstMemory, the Swift
    /// object that owns it, and a place in the ring, half of which may be empty.
    static let chunkCost = 900

    private enum Phase {
        case idle
        /// The latency of the pipeline is not final; `since` is the start, then the end, of the negotiation.
        case settling(since: Duration)
        case playing
    }

    private var chunks = SourceState.buffer(capacity: 0)
    private var phase = Phase.idle
    private var tags: TagList?
    private var hasEnded = false
    /// Whether the start of the stream was posted.
    private var isAnnounced = false
    private var isDiscontinuous = true
    private var isUnlocked = false
    private var prerollIsDue = false
    private var latencyChanged: Duration?
    private var pipeline = PipelineLatency()
    /// The property `output-delay`: samples are played earlier by this time.
    var outputDelay = Duration.zero
    /// Clock of the server; nil before it is known.
    var estimate: ClockEstimate?
    /// Time of the server minus time of `SendspinClock`; a new run keeps it.
    var shift = Duration.zero
    var timebase = SourceQueue.Timebase.stopped
    /// Counters of the last session; a new run keeps them.
    var session = SessionCounters()

    /// Latency of the pipeline that the timestamps compensate.
    var latency: Duration { pipeline.value }
    var counts: ChunkCounts { chunks.counts }
    /// Server time at which the next chunk must be rendered.
    var firstTimestamp: Duration? { chunks.firstTimestamp }
    /// Encoded bytes in the queue.
    var bytes: Int { chunks.bytes }
    /// Playing time in the queue; nil if it is empty.
    var playingTime: Duration? {
        guard let first = chunks.firstTimestamp, let last = chunks.lastTimestamp else { return nil }
        return last - first
    }
    /// Whether the streaming thread has received the caps of the stream.
    var isActive: Bool { if case .idle = phase { false } else { true } }

    /// Whether a stream of the server has started and not ended.
    var hasStream: Bool { isActive || isAnnounced }

    private var isPlaying: Bool { if case .playing = phase { true } else { false } }

    /// Resets the state for a run with a buffer of `capacity` bytes.
    mutating func begin(capacity: Int) {
        let (isUnlocked, session, shift) = (isUnlocked, session, shift)
        self = SourceState()
        (self.isUnlocked, self.session, self.shift) = (isUnlocked, session, shift)
        chunks = Self.buffer(capacity: capacity)
    }

    /// The memory limit permits one minute of Opus packets of 20 ms, even with the smallest capacity.
    private static func buffer(capacity: Int) -> ChunkBuffer<QueuedBuffer, StreamFormat> {
        ChunkBuffer(
            capacity: capacity, lead: margin, chunkCost: chunkCost, memoryLimit: max(2 * capacity, 4 << 20))
    }

    mutating func setUnlocked(_ isUnlocked: Bool) { self.isUnlocked = isUnlocked }

    mutating func latencyArrived(_ latency: Duration, now: Duration) {
        pipeline.arrived(latency, now: now, isPlaying: isPlaying)
        latencyChanged = now
    }

    /// Notes the end of the negotiation, which may take long; later LATENCY events include all sinks.
    mutating func negotiated(now: Duration) {
        guard case .settling = phase else { return }
        phase = .settling(since: now)
        latencyChanged = nil
    }

    // MARK: The server

    mutating func formatChanged(_ format: StreamFormat) { chunks.setFormat(format) }

    /// Inserts a chunk of `bytes` bytes; `timestamp` is a server time.
    mutating func insert(
        _ buffer: QueuedBuffer, at timestamp: Duration, duration: Duration?, bytes: Int, room: Int, now: Duration
    ) -> ChunkAdmission {
        let server = estimate?.serverTime(at: now) ?? timestamp
        return chunks.insert(
            buffer, timestamp: timestamp, duration: duration, bytes: bytes, room: room, now: server + outputDelay)
    }

    /// Adds a chunk to the buffer of the last one.
    mutating func append(
        _ bytes: ArraySlice<UInt8>, at timestamp: Duration, duration: Duration, now: Duration
    ) -> ChunkBuffer<QueuedBuffer, StreamFormat>.Extension {
        let now = (estimate?.serverTime(at: now) ?? timestamp) + outputDelay
        return chunks.extendLast(timestamp: timestamp, duration: duration, bytes: bytes.count, now: now) {
            $0.append(bytes)
        }
    }

    /// Discards the chunks; the stream continues at another position.
    mutating func clear() {
        chunks.clear()
        isDiscontinuous = true
    }

    /// Marks the next chunk as discontinuous, after a step of the server's clock or a new connection.
    mutating func markDiscontinuity() { isDiscontinuous = true }

    /// Handles the loss of the connection; the queued chunks are still played.
    mutating func connectionLost() {
        isDiscontinuous = true
        // The server starts a new stream when it reconnects.
        isAnnounced = false
    }

    /// Whether the start of the stream must be posted: once at its start, and again after a loss of the server.
    mutating func announce() -> Bool {
        defer { isAnnounced = true }
        return !isAnnounced
    }

    /// Uses the new estimate after a step of the server's clock, or for another server.
    ///
    /// After a backward step, new chunks may have times that were played before.
    mutating func clockStepped(to new: ClockEstimate) {
        let step = estimate.map { new.serverTime(at: new.at) - $0.serverTime(at: new.at) } ?? .zero
        if step < .zero - Self.leastStep { chunks.clockSetBack() }
        estimate = new
        isDiscontinuous = true
    }

    mutating func streamEnded() {
        chunks.reset()
        isDiscontinuous = true
        hasEnded = true
        isAnnounced = false
        phase = .idle
    }

    /// Requests a gap after a flush that has removed the preroll of the sinks, unless data of a stream follows.
    mutating func mustPreroll() { prerollIsDue = !isActive }

    mutating func setTags(_ tags: TagList) { self.tags = tags }

    // MARK: The streaming thread

    /// Handles a buffer that has no timestamp, because its time is before the start of the pipeline.
    mutating func couldNotPlay() {
        chunks.discardedReturned()
        isDiscontinuous = true
    }

    mutating func next(now: Duration) -> Monitor<SourceState>.Step<SourceStep> {
        if isUnlocked { return .done(.unlocked) }
        pipeline.advance(to: now)
        if hasEnded {
            hasEnded = false
            return .done(.streamEnded)
        }
        if prerollIsDue {
            prerollIsDue = false
            return .done(.flushed)
        }
        if let end = settlesUntil, now < end { return .wait(0, until: end) }
        if case .settling = phase {
            phase = .playing
            return .done(.settled)
        }
        if case .playing = phase, let tags = tags.take() { return .done(.tags(tags)) }
        guard let estimate else { return .wait(0, until: nil) }
        // The format of the first chunk is due at once, because negotiation takes time.
        chunks.lead = isActive ? latency + Self.margin : .seconds(3600)
        switch chunks.next(at: estimate.serverTime(at: now) + outputDelay) {
        case .wait(let time): return .wait(0, until: time.map { estimate.localTime(of: $0 - outputDelay) })
        case .gap(let start, let end):
            isDiscontinuous = true
            // A long gap is not pushed, because a sink would wait for its end. A server can cause a gap of any length.
            return isActive && end - start < Self.longestGap
                ? .done(.gap(at: time(start), duration: end - start)) : next(now: now)
        case .format(let format):
            let isFirst = !isActive
            if isFirst {
                phase = .settling(since: now)
                latencyChanged = nil
            }
            return .done(.format(format, isFirst: isFirst))
        case .chunk(let chunk):
            guard let buffer = chunk.payload.take() else { return next(now: now) }
            defer { isDiscontinuous = false }
            return .done(
                .buffer(
                    buffer, at: time(chunk.timestamp), duration: chunk.duration, isDiscontinuity: isDiscontinuous))
        }
    }

    private mutating func time(_ server: Duration) -> SourceQueue.Time {
        // Without a clock, sinks render data as it arrives.
        if case .none(start: nil) = timebase { timebase = .none(start: server) }
        return SourceQueue.Time(
            server: server, timebase: timebase, estimate: estimate, shift: shift, latency: latency, delay: outputDelay)
    }

    /// Time at which the latency of the pipeline counts as final; nil unless the phase is `settling`.
    private var settlesUntil: Duration? {
        guard case .settling(let since) = phase else { return nil }
        let longest = since + Self.longestSettling
        return latencyChanged.map { min(max($0, since) + Self.settlingTime, longest) } ?? longest
    }
}
