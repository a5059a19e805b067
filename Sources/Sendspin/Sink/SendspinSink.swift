import AudioSinks
import GStreamer
import SendspinProtocol
import Threads

/// Sends captured audio to a Sendspin server, which plays it in all rooms.
///
///     gst-launch-1.0 alsasrc ! audioconvert ! flacenc ! sendspinsink uri=sendspin://127.0.0.1:8927
///
/// The input is FLAC, Opus or raw audio, which is sent as PCM. The server requests the audio; until then it is dropped.
/// Each chunk has the time of its capture on the clock of the server.
///
/// The streaming thread copies the audio to a bounded queue; a network thread sends it.
final class SendspinSink: BaseSink, LinkedElement {

    // MARK: What gst-inspect shows

    static let factoryName = "sendspinsink"
    static let typeName = "GstSendspinSink"
    static let metadata = ElementMetadata(
        "Sendspin sink",
        classification: "Sink/Network/Audio",
        description: "Sends captured audio to a Sendspin server, such as Music Assistant, as a source for all rooms",
        author: "The gst-plugins-swift authors")
    static let padTemplates: [PadTemplate] = [.sink(CaptureCaps.template)]
    static let signals = PairingSignals.all(of: SendspinSink.self)
    /// `render` counts buffers outside of the segment.
    static let dropsOutOfSegment = false

    typealias Settings = SendspinSinkSettings

    // MARK: State

    static let log = DebugCategory(factoryName, "Sink that sends captured audio to a Sendspin server")
    let host: ElementHost
    let report: SendspinSinkReport
    var link: (any ServerLink)? { report.sender.map { $0.core.partner ?? $0 } }

    init(host: ElementHost) {
        self.host = host
        report = SendspinSinkReport(host)
    }

    // MARK: State changes

    func changeState(_ change: StateChange) -> StateChangeResult {
        if change == .pausedToPlaying { report.play(host.clock) }
        let result = host.parentChangeState(change)
        if change == .playingToPaused || (change == .pausedToPlaying && result == .failure) { report.pause() }
        return result
    }

    func start(_ settings: LiveSettings<Settings>) throws(ElementError) {
        report.begin()
        let sender = try SinkSender(host, settings.now, report)
        try sender.start()
        report.sender = sender
    }

    func stop() {
        report.sender?.stop()
        report.sender = nil
        report.releaseMemory()
    }

    // MARK: Streaming

    func setCaps(_ caps: Caps) throws(FlowResult) {
        guard let format = CaptureCaps.format(of: caps) else {
            throw host.fail(
                .stream(
                    .format,
                    "The header of FLAC is missing in the caps. Insert flacparse before \(Self.factoryName).",
                    debug: "\(caps)"))
        }
        report.formatChanged(format)
    }

    func render(_ buffer: borrowing Buffer, _ settings: Settings) throws(FlowResult) {
        // The header of FLAC is in the caps, and is sent with the start of the stream.
        guard !buffer.flags.contains(.header) else { return }
        let arrival = MonotonicClock.now
        // The decoder emits the samples to be clipped before the first sample at the PTS.
        let lead = Duration.nanoseconds(Int64(clamping: min(buffer.clippedSamples, 48_000) * 1_000_000_000 / 48_000))
        let running = host.inputRunningTime(ofPTS: buffer.pts)
        let time = running.flatMap { running in host.baseTime.map { $0 + running - lead } }
        guard let news = buffer.withBytes({ report.capture($0, at: time, arrival: arrival, settings) }) else { return }
        if let signal = news.signal { report.post(signal) }
        if news.isFirstUntimed { report.warnOfMissingTimes() }
    }

    func endOfStream() { report.ended() }
}
