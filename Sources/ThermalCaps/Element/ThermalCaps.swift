import GStreamer
import ThermalPolicy

/// Registers the element `thermalcaps`.
public func registerThermalCaps(in plugin: Plugin) -> Bool { register(ThermalCaps.self, in: plugin) }

/// Makes the stream cheaper, step by step, before the machine gets too hot, and carefully better again.
///
///     gst-launch-1.0 -m videotestsrc num-buffers=300 ! thermalcaps ! x264enc ! fakesink
///
/// It reads the machine's temperatures and takes one step down when the level asks for it: at `serious` the encoder's
/// bitrate to 70 % and the frame rate to two thirds, at `critical` at most 1280x720 and 25 frames per second, and then
/// two thirds at a time; the bitrate follows the pixels. Up again it goes when the machine has been cooler for
/// `up-dwell`; when that does not last, the next wait is twice as long. `policy` says what is given up first.
///
/// A source that can itself make fewer pixels or frames is asked to, which saves the most: leave its caps open, as in
/// `videotestsrc ! "video/x-raw,width=1920,height=1080,framerate=30/1;video/x-raw" ! thermalcaps`. For all others,
/// frames are dropped and scaled here. A muxer downstream that refuses new caps is noticed: then the caps stay, frames
/// are dropped, and the bitrate goes down. The encoder gets back exactly what it had.
///
/// It posts the element message `thermal-level-changed` with `zone`, `temperature`, `headroom`, `forecast`, `level`,
/// `cause`, `action` and `caps`. The signal `configure-caps` asks the application for caps of its own before each
/// change. An upstream event `quality-degrade` with a `reason` asks for a step down, and `quality-restore` takes that
/// back, or the end of its `duration`; quality goes up when nobody asks any more. Without any sensor nothing happens.
final class ThermalCaps: BinElement {

    // MARK: What gst-inspect shows

    static let factoryName = "thermalcaps"
    static let typeName = "GstThermalCaps"
    static let metadata = ElementMetadata(
        "Thermal caps",
        classification: "Filter/Effect/Video",
        description: "Makes video smaller, slower and cheaper to encode before the machine gets too hot",
        author: "The gst-plugins-swift authors")
    static let padTemplates: [PadTemplate] = [.sink("video/x-raw(ANY)"), .source("video/x-raw(ANY)")]
    /// Elements that scale; the first that is installed is used.
    private static let scalers = ["videoscale", "videoconvertscale"]
    static let capsSignals = [configureCaps]

    static let configureCaps = CapsSignal("configure-caps")

    typealias Settings = ThermalCapsSettings

    // MARK: What happens while the pipeline runs

    private let engine: ThermalEngine

    init(host: ElementHost) {
        let stream = CapsStream(host, (Self.padTemplates[0], Self.padTemplates[1]), scalers: Self.scalers)
        engine = ThermalEngine(host: host, stream: stream)
    }

    var report: ThermalCapsReport { engine.report }

    func settingsChanged(_ settings: Settings, revision: UInt64) { engine.apply(settings, revision: revision) }

    func chain(_ buffer: consuming Buffer, on pad: Pad) -> FlowResult { engine.stream.chain(buffer) }

    func sinkEvent(_ event: consuming Event, on pad: Pad) -> FlowResult { engine.stream.sinkEvent(event) }

    func sinkQuery(_ query: Query, on pad: Pad) -> Bool { engine.stream.answerUpstream(query) }

    func sourceEvent(_ event: consuming Event, on pad: Pad) -> Bool {
        if let custom = event.custom, engine.receive(custom) { return true }
        if event.kind == .reconfigure { engine.stream.negotiateAgain() }
        return pad.handleByDefault(event)
    }

    func sendEvent(_ event: consuming Event) -> Bool {
        if let custom = event.custom, engine.receive(custom) { return true }
        return engine.host.parentSendEvent(event)
    }

    func start(_ settings: Settings) throws(ElementError) {
        try requireScaler()
        try engine.start(settings)
    }

    func beginStop() { engine.beginStop() }

    func stop() {
        engine.finishStop()
        engine.stream.stop()
    }

    private func requireScaler() throws(ElementError) {
        guard engine.stream.scaler == nil else { return }
        let wanted = Self.scalers[0]
        // Applications install missing plugins on this message; see gst_missing_element_message_new.
        engine.host.post(
            Structure(
                "missing-plugin",
                [
                    "type": .string("element"), "detail": .string(wanted),
                    "name": .string("GStreamer element \(wanted)"),
                ]))
        throw .core(
            .missingPlugin, "The element \"\(wanted)\" is missing, and \(Self.factoryName) cannot do without it.",
            debug: "Install GStreamer's base plugins: on Debian, gstreamer1.0-plugins-base.")
    }
}
