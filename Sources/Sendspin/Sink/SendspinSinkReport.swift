import Durations
import GStreamer
import SendspinProtocol
import Threads

/// State of `sendspinsink` that its threads and its read-only properties share.
final class SendspinSinkReport: Sendable {
    /// The captured audio, from the streaming thread to the network thread.
    private struct Capture {
        var queue = CaptureQueue()
        /// Format of the input; it remains after the end of a stream, because a seek may continue it without caps.
        var format: CaptureFormat?
        /// Clock of the capture times; nil if these are local times.
        var clock: ClockReference?
        var isPlaying = false
        /// Whether the server has requested the audio, and its stream is open.
        var isOpen = false
        var sense = LineSense()
        /// The presence of a signal that was posted last.
        var posted: SignalState?
        var level: Double?
        var counts = Counts()

        /// Drops audio until the server requests it; returns whether it passed before.
        mutating func close() -> Bool {
            guard isOpen else { return false }
            isOpen = false
            counts.stops += 1
            queue.clear()
            return true
        }

        /// Measures the level; returns the presence of a signal if it must be posted.
        mutating func measure(
            _ bytes: borrowing RawSpan, _ format: CaptureFormat, for duration: Duration,
            _ settings: SendspinSinkSettings
        ) -> SignalState? {
            guard settings.sensesLine, let sample = format.sample else { return nil }
            let level = sample.level(of: bytes, channels: format.stream.format.channels)
            self.level = level
            let change = sense.add(level, for: duration, threshold: settings.threshold, hold: settings.hold)
            guard let change, change != posted else { return nil }
            posted = change
            return change
        }
    }

    /// Events in a buffer that the element posts to the application.
    struct News {
        /// The presence of a signal, if it has changed.
        var signal: SignalState?
        /// Whether the buffer is the first one without a time.
        var isFirstUntimed = false
    }

    /// Counts since the element started.
    private struct Counts {
        var buffers = 0
        /// Buffers that arrived while the server had not requested the audio.
        var dropped = 0
        var droppedTime = Duration.zero
        /// Buffers without a timestamp, or outside of the segment.
        var untimed = 0
        var starts = 0
        var stops = 0
    }

    let link = LinkReport()
    private let host: ElementHost
    private let captured = Mutex(Capture())
    private let session = Mutex((counters: SessionCounters(), estimate: ClockEstimate?.none))
    private let current = Mutex<SinkSender?>(nil)

    init(_ host: ElementHost) { self.host = host }

    var sender: SinkSender? {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    // MARK: State changes

    func begin() { captured.withLock { $0 = Capture() } }

    func play(_ clock: ClockReference?) {
        captured.withLock { ($0.clock, $0.isPlaying) = (clock, true) }
        sender?.wake()
    }

    /// Makes the source unavailable, which ends its stream.
    func pause() {
        captured.withLock { capture in
            capture.isPlaying = false
            capture.sense = LineSense()
            capture.queue.clear()
        }
        sender?.wake()
    }

    /// Releases the memory of the queue; no buffer follows before `begin`.
    func releaseMemory() { captured.withLock { $0.queue.releaseMemory() } }

    // MARK: Streaming thread

    func formatChanged(_ format: CaptureFormat) {
        captured.withLock { capture in
            capture.queue.begin(format)
            capture.format = format
        }
        sender?.wake()
    }

    func ended() {
        captured.withLock { $0.queue.begin(nil) }
        sender?.wake()
    }

    /// Adds a buffer; returns what the element must post.
    ///
    /// `time` is the capture of the first sample on the clock of the pipeline; nil if the buffer has no running time.
    func capture(
        _ bytes: borrowing RawSpan, at time: Duration?, arrival: Duration, _ settings: SendspinSinkSettings
    ) -> News {
        var (news, mustWake) = (News(), false)
        captured.withLock { capture in
            capture.counts.buffers += 1
            guard let format = capture.format else { return }
            if capture.queue.format == nil { capture.queue.begin(format) }
            let duration = format.duration(ofPCM: bytes.byteCount) ?? .zero
            let old = capture.sense.signal
            news.signal = capture.measure(bytes, format, for: duration, settings)
            mustWake = capture.sense.signal != old
            // Without a clock, times are local times.
            guard let time = capture.clock == nil ? arrival - duration : time else {
                news.isFirstUntimed = capture.counts.untimed == 0
                capture.counts.untimed += 1
                return
            }
            guard capture.isOpen else {
                capture.counts.dropped += 1
                capture.counts.droppedTime += duration
                return
            }
            capture.queue.append(bytes, at: time, arrival: arrival)
            mustWake = true
        }
        if mustWake { sender?.wake() }
        return news
    }

    // MARK: Network thread

    /// Whether the pipeline plays, the presence of a signal, and the clock of the capture times.
    var state: (isPlaying: Bool, signal: SignalState?, clock: ClockReference?) {
        captured.withLock { ($0.isPlaying, $0.sense.signal, $0.clock) }
    }

    var counts: CaptureCounts { captured.withLock { $0.queue.counts } }

    func next() -> CaptureQueue.Step? { captured.withLock { $0.queue.next() } }

    /// Lets audio pass to the server.
    func opened() {
        captured.withLock { capture in
            // A change of the format continues the stream.
            if !capture.isOpen { capture.counts.starts += 1 }
            capture.isOpen = true
        }
    }

    /// Drops audio until `opened`; returns whether it passed before.
    func closed() -> Bool { captured.withLock { $0.close() } }

    /// Forgets what concerns the last server, before another one or none is served; returns whether its stream was open.
    ///
    /// A hold time that has begun for one server must not begin a stream of the next one.
    func serverLeft() -> Bool {
        session.withLock { $0 = (SessionCounters(), nil) }
        return captured.withLock { capture in
            capture.sense = LineSense()
            return capture.close()
        }
    }

    func note(_ counters: SessionCounters) { session.withLock { $0.counters = counters } }

    func follow(_ estimate: ClockEstimate) { session.withLock { $0.estimate = estimate } }

    // MARK: Messages

    /// Posts that the input has a signal, or has none.
    func post(_ signal: SignalState) {
        host.post(Structure("sendspin-source", ["event": .string("signal"), "signal": .string(signal.rawValue)]))
    }

    func warnOfMissingTimes() {
        host.post(
            warning: .stream(
                .format,
                "Buffers without a timestamp, or outside of the segment, are not sent. Set do-timestamp=true for the source, "
                    + "or insert rawaudioparse or flacparse."))
    }

    /// Posts that the server receives the audio in a format, or no longer.
    func post(_ stream: PlayerStream?) {
        var message = Structure("sendspin-source", ["event": .string(stream == nil ? "stop" : "start")])
        if let format = stream?.format {
            message["codec"] = .string(format.codec.rawValue)
            message["rate"] = .uint(UInt32(clamping: format.sampleRate))
            message["channels"] = .uint(UInt32(clamping: format.channels))
            if format.codec != .opus { message["bits"] = .uint(UInt32(clamping: format.bitDepth)) }
        }
        host.post(message)
    }

    // MARK: Statistics

    /// The property `stats`, with times in nanoseconds.
    var stats: Structure {
        let (format, isOpen, signal, level, counts, chunks) = captured.withLock {
            ($0.queue.format, $0.isOpen, $0.sense.signal, $0.level, $0.counts, $0.queue.counts)
        }
        let (counters, estimate) = session.withLock { $0 }
        var stats = Structure("sendspin-sink-stats")
        link.addServer(to: &stats)
        stats["format"] = format.map { .string("\($0.stream.format)") }
        stats["streaming"] = .bool(isOpen)
        stats["signal"] = signal.map { .string($0.rawValue) }
        stats["level"] = level.map { .double($0) }
        LinkReport.add(estimate, to: &stats)
        stats["clock-steps"] = .uint64(UInt64(counters.clockSteps))
        stats["buffers"] = .uint64(UInt64(counts.buffers))
        stats["dropped"] = .uint64(UInt64(counts.dropped))
        stats["dropped-time"] = .duration(counts.droppedTime)
        stats["chunks"] = .uint64(UInt64(chunks.chunks))
        stats["bytes"] = .uint64(UInt64(chunks.bytes))
        stats["sent-time"] = .duration(chunks.time)
        stats["overflows"] = .uint64(UInt64(chunks.overflows))
        stats["malformed"] = .uint64(UInt64(chunks.malformed))
        stats["too-long"] = .uint64(UInt64(chunks.tooLong))
        stats["gaps"] = .uint64(UInt64(chunks.gaps))
        stats["untimed"] = .uint64(UInt64(counts.untimed))
        stats["starts"] = .uint64(UInt64(counts.starts))
        stats["stops"] = .uint64(UInt64(counts.stops))
        link.addConnections(to: &stats)
        stats["messages"] = .uint64(UInt64(counters.messagesReceived))
        stats["ignored-messages"] = .uint64(UInt64(counters.messagesIgnored))
        return stats
    }
}
