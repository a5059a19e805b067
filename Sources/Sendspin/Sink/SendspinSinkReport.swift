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
        /// End of the last buffer on the clock, for a buffer without a timestamp.
        var end: Duration?
        var sense = LineSense()
        var level: Double?
        var counts = Counts()
    }

    /// Counts since the element started.
    private struct Counts {
        var buffers = 0
        /// Buffers that arrived while the server had not requested the audio.
        var dropped = 0
        var droppedTime = Duration.zero
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
            capture.end = nil
            capture.queue.clear()
        }
        sender?.wake()
    }

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

    /// Adds a buffer; returns the presence of a signal if it has changed.
    ///
    /// `time` is the capture of the first sample on the clock of the pipeline; nil if the buffer has no timestamp.
    func capture(
        _ bytes: borrowing RawSpan, at time: Duration?, arrival: Duration, _ settings: SendspinSinkSettings
    ) -> SignalState? {
        let (change, isOpen) = captured.withLock { capture -> (SignalState?, Bool) in
            capture.counts.buffers += 1
            guard let format = capture.format else { return (nil, false) }
            if capture.queue.format == nil { capture.queue.begin(format) }
            let duration = format.duration(ofPCM: bytes.byteCount) ?? .zero
            var change: SignalState?
            if settings.sensesLine, let sample = format.sample {
                let level = sample.level(of: bytes, channels: format.stream.format.channels)
                capture.level = level
                change = capture.sense.add(
                    level, for: duration, threshold: settings.threshold, hold: settings.hold)
            }
            guard capture.isOpen else {
                capture.counts.dropped += 1
                capture.counts.droppedTime += duration
                return (change, false)
            }
            // Without a clock, times are local times.
            let start = capture.clock == nil ? nil : time ?? capture.end
            let known = start ?? (capture.clock == nil ? arrival - duration : nil)
            guard let known else { return (change, false) }
            capture.end = known + duration
            capture.queue.append(bytes, at: known, arrival: arrival)
            return (change, true)
        }
        if isOpen || change != nil { sender?.wake() }
        return change
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
            capture.isOpen = true
            capture.counts.starts += 1
        }
    }

    /// Drops audio until `opened`; returns whether it passed before.
    @discardableResult
    func closed() -> Bool {
        captured.withLock { capture in
            guard capture.isOpen else { return false }
            capture.isOpen = false
            capture.counts.stops += 1
            capture.queue.clear()
            return true
        }
    }

    func note(_ counters: SessionCounters) { session.withLock { $0.counters = counters } }

    func follow(_ estimate: ClockEstimate) { session.withLock { $0.estimate = estimate } }

    // MARK: Messages

    /// Posts that the input has a signal, or has none.
    func post(_ signal: SignalState) {
        host.post(Structure("sendspin-source", ["event": .string("signal"), "signal": .string(signal.rawValue)]))
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
        stats["starts"] = .uint64(UInt64(counts.starts))
        stats["stops"] = .uint64(UInt64(counts.stops))
        link.addConnections(to: &stats)
        stats["messages"] = .uint64(UInt64(counters.messagesReceived))
        stats["ignored-messages"] = .uint64(UInt64(counters.messagesIgnored))
        return stats
    }
}
