import GStreamer
import ThermalPolicy

/// Registers the element `thermalcaps`.
public func registerThermalCaps(in plugin: Plugin) -> Bool { register(ThermalCaps.self, in: plugin) }

/// Reduces bitrate, frame rate and size step by step before the machine gets too hot, and restores them when it cools.
///
///     gst-launch-1.0 -m videotestsrc num-buffers=300 ! thermalcaps ! x264enc ! fakesink
///
/// It reads the temperatures of the machine and takes the steps that the level requires: at `serious` the bitrate of the
/// encoder is reduced to 70 % and the frame rate to two thirds; at `critical` size and rate are limited to 1280x720 and 25
/// frames per second, and then reduced to two thirds in each step. The bitrate follows the pixels. The next step up is
/// taken when the machine has been cooler for `up-dwell`; if that does not last, `up-dwell` doubles. `policy` selects
/// the order of the reductions.
///
/// A source that can make fewer pixels or frames is requested to, which saves the most: leave its caps open, as in
/// `videotestsrc ! "video/x-raw,width=1920,height=1080,framerate=30/1;video/x-raw" ! thermalcaps`. For all other
/// sources, frames are dropped and scaled here. If a muxer downstream refuses new caps, the caps stay, frames are
/// dropped, and the bitrate is reduced. The bitrate of the encoder is restored exactly.
///
/// It posts the element message `thermal-level-changed` with `zone`, `temperature`, `headroom`, `forecast`, `level`,
/// `cause`, `action` and `caps`. The signal `configure-caps` asks the application for caps of its own before each
/// change. An upstream event `quality-degrade` with a `reason` requests a step down until `quality-restore`, or for its
/// `duration`. The quality is restored when there is no request left. Without a sensor nothing is reduced.
final class ThermalCaps: Bin {

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
    static let signals = [configureCaps]

    /// Asks the application for caps; its arguments are the level and the caps that the element would select.
    static let configureCaps = Signal("configure-caps", arguments: [.string, .caps], returns: .caps)

    typealias Settings = ThermalCapsSettings

    // MARK: What happens while the pipeline runs

    let host: ElementHost
    private let engine: ThermalEngine

    init(host: ElementHost) {
        self.host = host
        let stream = CapsStream(host, (Self.padTemplates[0], Self.padTemplates[1]), scalers: Self.scalers)
        engine = ThermalEngine(host: host, stream: stream)
    }

    var report: ThermalCapsReport { engine.report }

    func settingsChanged(_ settings: Settings, revision: UInt64) { engine.apply(settings, revision: revision) }

    func chain(_ buffer: consuming Buffer, on pad: Pad) -> FlowResult { engine.stream.chain(buffer) }

    func sinkEvent(_ event: consuming Event, on pad: Pad) -> FlowResult { engine.stream.sinkEvent(event) }

    func sinkQuery(_ query: Query, on pad: Pad) -> Bool { engine.stream.answerUpstream(query) }

    func sourceEvent(_ event: consuming Event, on pad: Pad) -> Bool {
        if let request = QualityEvent(event), engine.receive(request) { return true }
        if event.kind == .reconfigure { engine.stream.negotiateAgain() }
        return pad.handleByDefault(event)
    }

    func sendEvent(_ event: consuming Event) -> Bool {
        if let request = QualityEvent(event), engine.receive(request) { return true }
        return host.parentSendEvent(event)
    }

    func changeState(_ change: StateChange) -> StateChangeResult {
        if change == .pausedToReady { engine.beginStop() }
        let result = host.parentChangeState(change)
        if change == .readyToPaused, result == .failure { engine.beginStop() }
        return result
    }

    func start(_ settings: LiveSettings<Settings>) throws(ElementError) {
        try requireScaler()
        try engine.start(settings.now)
    }

    func stop() {
        engine.finishStop()
        engine.stream.stop()
    }

    private func requireScaler() throws(ElementError) {
        guard engine.stream.scaler == nil else { return }
        let wanted = Self.scalers[0]
        // Applications install missing plugins on this message; see gst_missing_element_message_new.
        host.post(
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
