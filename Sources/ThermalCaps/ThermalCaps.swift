import GStreamer
import ThermalPolicy

/// Registers the element `thermalcaps`.
public func registerThermalCaps(in plugin: Plugin) -> Bool { register(ThermalCaps.self, in: plugin) }

/// Reduces bitrate, frame rate and size step by step before the machine gets too hot, and restores them when it cools.
///
///     gst-launch-1.0 -m videotestsrc num-buffers=300 ! thermalcaps ! x264enc ! fakesink
///
/// At `serious` the element reduces the bitrate of the encoder and the frame rate, at `critical` also the size;
/// `policy` selects the order. After the machine was cooler for `up-dwell`, it takes a step up. It requests fewer
/// pixels or frames from a source that supports them, and otherwise drops and scales frames. Without a sensor nothing
/// is reduced.
///
/// `ThermalEngine` reads, decides and applies. `docs/elements/thermalcaps.md` describes levels, policies and messages.
final class ThermalCaps: Bin {

    // MARK: Metadata, pads and properties

    static let factoryName = "thermalcaps"
    static let typeName = "GstThermalCaps"
    static let metadata = ElementMetadata(
        "Thermal caps",
        classification: "Filter/Effect/Video",
        description: "Reduces bitrate, frame rate and size of video before the machine gets too hot",
        author: "The gst-plugins-swift authors")
    static let padTemplates: [PadTemplate] = [.sink("video/x-raw(ANY)"), .source("video/x-raw(ANY)")]
    static let signals = [configureCaps]
    /// Requests caps from the application; the arguments are the level and the caps that the element would select.
    static let configureCaps = Signal("configure-caps", arguments: [.string, .caps], returns: .caps)
    typealias Settings = ThermalCapsSettings

    // MARK: Lifecycle

    let host: ElementHost
    let engine: ThermalEngine
    var report: ThermalCapsReport { engine.report }

    init(host: ElementHost) {
        self.host = host
        engine = ThermalEngine(host: host, Self.padTemplates)
    }

    func settingsChanged(_ settings: Settings, revision: UInt64) { engine.apply(settings, revision: revision) }

    func chain(_ buffer: consuming Buffer, on pad: borrowing Pad) -> FlowResult { engine.stream.chain(buffer) }

    func sinkEvent(_ event: consuming Event, on pad: borrowing Pad) -> FlowResult { engine.stream.sinkEvent(event) }

    func sinkQuery(_ query: borrowing Query, on pad: borrowing Pad) -> Bool { engine.stream.answerUpstream(query) }

    func sourceQuery(_ query: borrowing Query, on pad: borrowing Pad) -> Bool { engine.stream.answerDownstream(query) }

    func sourceEvent(_ event: consuming Event, on pad: borrowing Pad) -> Bool { engine.handle(event, on: pad) }

    func sendEvent(_ event: consuming Event) -> Bool { engine.send(event) }

    func changeState(_ change: StateChange) -> StateChangeResult { engine.changeState(change) }

    func start(_ settings: LiveSettings<Settings>) throws(ElementError) { try engine.start(settings.now) }

    func stop() { engine.finishStop() }
}
