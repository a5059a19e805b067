import Durations
import GStreamer
import SendspinWire
import Synchronization
import Threads

/// Registers the element `sendspinsrc`.
public func registerSendspinSource(in plugin: Plugin) -> Bool { register(SendspinSource.self, in: plugin) }

/// Plays the audio that a Sendspin server sends to its players, each sample at the time that the server has set.
///
///     gst-launch-1.0 sendspinsrc uri=sendspin://127.0.0.1:8927 ! decodebin ! audioconvert ! sendspinsync ! autoaudiosink
///
/// The output is FLAC, Opus or raw audio. The element provides a clock that runs at the rate of the server's clock.
/// Timestamps allow for the latency of the pipeline, so that a sink renders a sample at its time. `sendspinsync` keeps
/// the sink at this rate; `sendspinplay` contains both.
///
/// A thread of its own receives the audio. The streaming thread only waits for a chunk and pushes it.
final class SendspinSource: PushSource, ConcurrentElement {

    // MARK: What gst-inspect shows

    static let factoryName = "sendspinsrc"
    static let typeName = "GstSendspinSrc"
    static let metadata = ElementMetadata(
        "Sendspin source",
        classification: "Source/Network/Audio",
        description: "Receives synchronised audio from a Sendspin server, such as Music Assistant",
        author: "The gst-plugins-swift authors")
    static let padTemplates: [PadTemplate] = [.source(StreamFormatCaps.template)]
    static let rank = Rank.primary
    static let interfaces: [Interface] = [.uriHandler(.source, protocols: ["sendspin"], property: "uri")]
    static let signals = SourceSignals.all
    static let isLive = true
    static let setsCapsInCreate = true

    typealias Settings = SendspinSourceSettings

    // MARK: State

    static let log = DebugCategory(factoryName, "Source of synchronised audio from a Sendspin server")
    let host: ElementHost
    let report: SendspinSourceReport
    private let pad: Pad
    /// Whether a gap was pushed before the first data.
    private let isPrerolled = Atomic(false)
    /// Latency of the last `SourceLatency`; nil if downstream does not know it.
    private let announcedLatency = Mutex<Duration?>(nil)
    /// Clock of the pipeline while it plays.
    private let clock = Mutex<ClockReference?>(nil)
    /// Format of the last caps; nil at the start.
    private let format = Mutex<AudioFormat?>(nil)

    init(host: ElementHost) {
        self.host = host
        // GstBaseSrc creates the pad.
        pad = host.pad("src")!
        report = SendspinSourceReport(host)
        host.setProvidesClock()
    }

    // MARK: State changes

    func changeState(_ change: StateChange) -> StateChangeResult {
        // Asking the element for its clock allocates memory, which the streaming thread must not do.
        if change == .pausedToPlaying { clock.withLock { $0 = host.clock } }
        let result = host.parentChangeState(change)
        if change == .pausedToReady { clock.withLock { $0 = nil } }
        return result
    }

    func provideClock() -> ClockReference? { report.clock?.reference }

    func settingsChanged(_ settings: Settings, revision: UInt64) { report.receiver?.settingsChanged(settings) }

    func start(_ settings: LiveSettings<Settings>) throws(ElementError) {
        guard report.clock != nil else {
            throw .core(.clock, "Another plugin has registered the type of the clock of sendspinsrc.")
        }
        format.withLock { $0 = nil }
        let settings = settings.now
        let codecs = StreamFormatCaps.accepted(settings.codecs, by: pad.queryPeerCaps())
        let receiver = try SourceReceiver(host, settings, codecs, report)
        try receiver.start()
        report.receiver = receiver
    }

    func stop() {
        report.receiver?.stop()
        report.receiver = nil
    }

    // MARK: Streaming

    static func answer(_ query: Query, _ report: SendspinSourceReport) -> Bool? {
        guard query.kind == .latency else { return nil }
        // Timestamps allow for the latency of the pipeline, so the source adds none.
        query.latency = (isLive: true, minimum: .zero, maximum: nil)
        return true
    }

    static func handle(_ event: borrowing Event, _ report: SendspinSourceReport) -> Bool? {
        report.handle(event)
        return nil
    }

    static func unlock(_ report: SendspinSourceReport) { report.queue.change { $0.setUnlocked(true) } }

    static func unlockStop(_ report: SendspinSourceReport) { report.queue.change { $0.setUnlocked(false) } }

    func create(_ settings: Settings) throws(FlowResult) -> Buffer {
        while true {
            switch report.queue.next() {
            case .unlocked: throw .flushing
            case .format(let format, let isFirst): try negotiate(format, isFirst: isFirst)
            case .settled: endPreroll()
            case .tags(let tags): if let event = Event.tags(tags) { pad.push(event) }
            case .streamEnded: if settings.endsWithStream { throw .endOfStream }
            case .gap(let start, let end): pushGap(from: start, to: end)
            case .buffer(let queued, let time, let duration, let isDiscontinuity):
                guard var buffer = queued.take(), let pts = timestamp(at: time) else { continue }
                buffer.pts = pts
                buffer.duration = duration
                if isDiscontinuity { buffer.set(.discontinuity) }
                return buffer
            }
        }
    }

    /// Pushes caps; before the first data also a gap, so that downstream negotiates and the latency becomes known.
    private func negotiate(_ format: StreamFormat, isFirst: Bool) throws(FlowResult) {
        announce(format.format, isFirst: isFirst)
        guard host.setSourceCaps(format.caps) else { throw .notNegotiated }
        // The format may have got a new decoder, or downstream may have been flushed.
        announcedLatency.withLock { $0 = nil }
        guard isFirst else { return }
        host.pushSourceSegment()
        report.pushVolume()
        preroll()
        host.postLatencyChanged()
    }

    /// Pushes a gap, so that decoders and sinks negotiate before there is data.
    ///
    /// A parser pushes caps without the format at a gap, which a decoder replaces later, and a muxer does not.
    private func preroll() {
        let elements = host.elementsDownstream()
        let isMuxed =
            elements.contains { $0.classes.contains("Parser") }
            && !elements.contains { $0.classes.contains("Decoder") }
        guard !isMuxed, let now = host.runningTime, let gap = Event.gap(at: now, duration: .milliseconds(1)) else {
            return
        }
        pad.push(gap)
        isPrerolled.store(true, ordering: .relaxed)
    }

    /// Removes the gap from downstream if there are several sinks.
    ///
    /// A sink that prerolls at the gap would block an ALLOCATION query behind it until the other sinks preroll, which
    /// wait for data. The flush does not remove the latency of the sinks.
    private func endPreroll() {
        guard isPrerolled.exchange(false, ordering: .relaxed), host.sinkCount > 1, let start = Event.flushStart(),
            let stop = Event.flushStop(resetsTime: false)
        else { return }
        pad.push(start)
        pad.push(stop)
        host.pushSourceSegment()
        report.pushVolume()
    }

    /// Tells `sendspinsync` for which latency the next timestamps are set.
    private func announce(_ latency: Duration) {
        let isNew = announcedLatency.withLock { announced in
            defer { announced = latency }
            return announced != latency
        }
        if isNew, let event = SourceLatency(latency).event { pad.push(event) }
    }

    /// Posts a message if the format is not that of the last caps, before downstream receives the new ones.
    private func announce(_ new: AudioFormat, isFirst: Bool) {
        let old = format.withLock { format in
            defer { format = new }
            return format
        }
        guard let old, old != new else { return }
        var message = Structure(StreamMessages.format)
        message["codec"] = .string(new.codec.rawValue)
        message["rate"] = .uint(UInt32(clamping: new.sampleRate))
        message["channels"] = .uint(UInt32(clamping: new.channels))
        message["bits"] = .uint(UInt32(clamping: new.bitDepth))
        message["continues"] = .bool(!isFirst)
        host.post(message)
    }

    private func pushGap(from start: Duration, to end: Duration) {
        guard let time = timestamp(at: start), let gap = Event.gap(at: time, duration: end - start) else { return }
        pad.push(gap)
    }

    /// The timestamp with which a sink renders at a time of the server; nil if that is before the start.
    private func timestamp(at server: Duration) -> Duration? {
        guard let clock = clock.withLock({ $0 }), let base = host.baseTime,
            let time = report.clock?.time(of: clock, at: server)
        else { return nil }
        let (latency, delay) = report.queue.change { ($0.latency, $0.outputDelay) }
        announce(latency)
        let timestamp = time - base - latency - delay
        return timestamp < .zero ? nil : timestamp
    }
}
