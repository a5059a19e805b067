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
    static let scalers = ["videoscale", "videoconvertscale"]
    static let capsSignals = [configureCaps]

    static let configureCaps = CapsSignal("configure-caps")

    typealias Settings = ThermalCapsSettings

    // MARK: What happens while the pipeline runs

    private let engine: ThermalEngine

    init(host: ElementHost, stream: ShapedStream) {
        engine = ThermalEngine(host: host, stream: CapsStream(host: host, stream: stream))
    }

    var report: ThermalCapsReport { engine.report }

    func settingsChanged(_ settings: Settings, revision: UInt64) { engine.apply(settings, revision: revision) }

    func shapes(for picture: StreamPicture, isNew: Bool) -> [StreamPicture] {
        engine.stream.shapes(for: picture, isNew: isNew, wake: engine.wake)
    }

    func shaped(_ input: StreamPicture, into output: StreamPicture) {
        if engine.stream.shaped(input, into: output) { engine.wake() }
    }

    func nearest(to shape: StreamPicture, of offers: [StreamOffer], from input: StreamPicture) -> StreamPicture? {
        CapsRange.nearest(offers.map(CapsRange.init), target: VideoCaps(shape), full: VideoCaps(input))?
            .applied(to: shape)
    }

    func verdict(onFrameAt time: UInt64?) -> FrameVerdict {
        switch engine.stream.plan.withLock({ $0.verdict(onFrameAt: time) }) {
        case .pass: .pass
        case .stretch(let duration): .stretch(duration)
        case .drop: .drop
        }
    }

    func timeRestarted() { engine.stream.plan.withLock { $0.timeRestarted() } }

    func choose(from offers: [StreamOffer], now: StreamPicture) -> Bool {
        let (offers, now) = (offers.map(CapsRange.init), VideoCaps(now))
        return engine.stream.plan.withLock { $0.request(from: offers, sending: now, at: ThermalEngine.now) }
    }

    func wish() -> StreamWish? { engine.stream.plan.withLock { $0.requested }.map(StreamWish.init) }

    func heard(_ event: CustomEvent) -> Bool { engine.receive(event) }

    func start(_ settings: Settings) throws(ElementError) { try engine.start(settings) }

    func beginStop() { engine.beginStop() }

    func stop() { engine.finishStop() }
}
