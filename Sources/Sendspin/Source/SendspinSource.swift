import GStreamer
import Threads

/// Receives the audio of a Sendspin server, and schedules each sample for the time that the server has set.
///
///     gst-launch-1.0 sendspinsrc uri=sendspin://127.0.0.1:8927 ! decodebin ! audioconvert ! sendspinsync ! autoaudiosink
///
/// The output is FLAC, Opus or raw audio. The element provides a clock that runs at the rate of the server's clock.
/// Timestamps compensate the latency of the pipeline, so that a sink renders each sample on time. `sendspinsync` keeps
/// the sink at this rate; `sendspinplay` contains both elements.
///
/// A network thread receives the audio. The streaming thread only waits for chunks and pushes them.
final class SendspinSource: PushSource, LinkedElement {

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
    var link: (any ServerLink)? { report.receiver }
    private let stream: SourceStream
    private let newest = Mutex(UInt64(0))

    init(host: ElementHost) {
        self.host = host
        report = SendspinSourceReport(host)
        // GstBaseSrc has created the pad.
        stream = SourceStream(host, host.pad("src")!, report)
        host.setProvidesClock()
    }

    // MARK: State changes

    func changeState(_ change: StateChange) -> StateChangeResult {
        if change == .pausedToPlaying {
            report.setPlaying(true)
            stream.play()
        }
        if change == .playingToPaused { report.setPlaying(false) }
        let result = host.parentChangeState(change)
        if change == .pausedToReady { stream.stop() }
        return result
    }

    func provideClock() -> ClockReference? { report.clock?.reference }

    func settingsChanged(_ settings: Settings, revision: UInt64) {
        let isNewest = newest.withLock { newest in
            defer { newest = max(newest, revision) }
            return revision > newest
        }
        guard isNewest else { return }
        stream.settingsChanged(settings)
        report.receiver?.settingsChanged(settings)
    }

    func start(_ settings: LiveSettings<Settings>) throws(ElementError) {
        guard report.clock != nil else {
            throw .core(.clock, "Another plugin has registered the type of the clock of sendspinsrc.")
        }
        let settings = settings.now
        let receiver = try SourceReceiver(host, settings, stream.accepted(settings.codecs), report)
        try receiver.start()
        report.receiver = receiver
    }

    func stop() {
        report.receiver?.stop()
        report.receiver = nil
    }

    // MARK: Streaming

    static func answer(_ query: borrowing Query, _ report: SendspinSourceReport) -> Bool? {
        guard query.kind == .latency else { return nil }
        // Timestamps compensate the latency of the pipeline, so the source adds none.
        query.latency = (isLive: true, minimum: .zero, maximum: nil)
        return true
    }

    static func handle(_ event: borrowing Event, _ report: SendspinSourceReport) -> Bool? {
        report.handle(event)
    }

    static func unlock(_ report: SendspinSourceReport) { report.queue.change { $0.setUnlocked(true) } }

    static func unlockStop(_ report: SendspinSourceReport) { report.queue.change { $0.setUnlocked(false) } }

    func create(_ settings: Settings) throws(FlowResult) -> Buffer { try stream.next() }
}
