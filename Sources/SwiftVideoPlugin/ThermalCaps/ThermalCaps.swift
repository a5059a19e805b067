import GStreamer
import StreamControl

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
final class ThermalCaps: ShapedBin {

    // MARK: What gst-inspect shows

    static let factoryName = "thermalcaps"
    static let typeName = "GstThermalCaps"
    static let metadata = ElementMetadata(
        "Thermal caps",
        classification: "Filter/Effect/Video",
        description: "Makes video smaller, slower and cheaper to encode before the machine gets too hot",
        author: "The gst-plugins-swift authors")
    static let padTemplates: [PadTemplate] = [.sink("video/x-raw(ANY)"), .source("video/x-raw(ANY)")]
    /// Elements that scale; the first that is installed goes inside.
    private static let scalers = ["videoscale", "videoconvertscale"]
    static let signals = [configureCaps]

    /// Asks the application, with a word and the caps that the element would choose, for caps.
    static let configureCaps = Signal("configure-caps", arguments: [.string, .caps], returns: .caps)

    typealias Settings = ThermalCapsSettings

    // MARK: What happens while the pipeline runs

    let host: ElementHost
    private let control: ThermalControl

    var stream: ShapedStream { control.stream }

    init(host: ElementHost) {
        self.host = host
        control = ThermalControl(
            host: host, stream: ShapedStream(through: host, Self.padTemplates, scalers: Self.scalers))
    }

    var report: ThermalCapsReport { control.report }

    func settingsChanged(_ settings: Settings, revision: UInt64) { control.apply(settings, revision: revision) }

    func shapes(for picture: StreamPicture, isNew: Bool) -> [StreamPicture] {
        let (shapes, news) = control.plan.withLock { plan in
            let news = isNew ? plan.note(picture) : StreamPlan.CapsNews()
            return (plan.shapes(for: picture), news)
        }
        if news.isOther { control.wake() }
        if news.mustAsk { control.stream.requestUpstreamChange() }
        if news.isOtherRate { control.host.postLatencyChanged() }
        return shapes
    }

    func shaped(_ input: StreamPicture, into output: StreamPicture) {
        let now = ThermalControl.now
        let (isPaced, isSurprise) = control.plan.withLock { plan in
            let before = plan.made(at: now)
            return (plan.agreed(input, output), plan.made(at: now) != before)
        }
        control.stream.setPaced(isPaced)
        if isSurprise { control.wake() }
    }

    func nearest(to shape: StreamPicture, of offers: [StreamOffer], from input: StreamPicture) -> StreamPicture? {
        let offers = offers.map(SourceOffer.init)
        guard let found = SourceOffer.nearest(offers, target: Picture(shape), full: Picture(input)) else { return nil }
        var nearest = shape
        (nearest.width, nearest.height) = (Int32(clamping: found.width), Int32(clamping: found.height))
        return nearest
    }

    func verdict(onFrameAt time: UInt64?) -> FrameVerdict { control.plan.withLock { $0.verdict(onFrameAt: time) } }

    func timeRestarted() { control.plan.withLock { $0.timeRestarted() } }

    func choose(from offers: [StreamOffer], now: StreamPicture) -> Bool {
        control.plan.withLock { $0.choose(from: offers.map(SourceOffer.init), now: now, at: ThermalControl.now) }
    }

    func wish() -> StreamWish? { control.plan.withLock { $0.wish } }

    func heard(_ event: CustomEvent) -> Bool { control.heard(event) }

    func changeState(_ change: StateChange) -> StateChangeResult {
        if change == .pausedToReady { control.beginStop() }
        let result = host.parentChangeState(change)
        if change == .readyToPaused, result == .failure { control.beginStop() }
        return result
    }

    func start(_ settings: LiveSettings<Settings>) throws(ElementError) {
        try requireScaler(of: Self.scalers)
        try control.start(settings.now)
    }

    func stop() {
        control.finishStop()
        control.stream.reset()
    }
}
