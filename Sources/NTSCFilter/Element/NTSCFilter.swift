import AnalogVideoModel
import GStreamer
import Tracing

/// Registers the element `ntscfilter`.
public func registerNTSCFilter(in plugin: Plugin) -> Bool { register(NTSCFilter.self, in: plugin) }

/// Makes video look as if it came through analog television: an NTSC signal, a cable, a VHS tape.
///
///     gst-launch-1.0 videotestsrc ! ntscfilter vhs-tape-speed=ep ! videoconvert ! autovideosink
///
/// Frames are changed in place, each by itself: the picture depends on the frame's number, which comes from its PTS
/// and the framerate, and on `random-seed`. Without a framerate, or without a PTS, frames are counted.
/// Progressive video is taken for fields as `use-field` says, interlaced video as it is.
/// Luma and chroma are played as they come, with the matrix, range and chroma siting of the caps: no converter is needed.
///
/// `NTSCEngine` plays the frames; `AnalogVideo` contains the signal.
struct NTSCFilter: VideoFilter, ~Copyable {

    // MARK: What gst-inspect shows

    static let factoryName = "ntscfilter"
    static let typeName = "GstNtscFilter"
    static let metadata = ElementMetadata(
        "NTSC and VHS effect",
        classification: "Filter/Effect/Video",
        description: "Makes video look like analog television, NTSC or VHS",
        author: "The gst-plugins-swift authors")
    static let padTemplates: [PadTemplate] = [.sink(PixelFormat.caps), .source(PixelFormat.caps)]
    static let interfaces: [Interface] = [.preset]
    static func presentPresetName(of name: String) -> String? { Look.presentName(of: name) }

    /// The properties: those of the element, and one for each setting of the signal.
    struct Settings: ElementSettings {
        var signal = NTSCSettings()
        var isEnabled = true
        /// The preset that `signal` was read from last, if it was a file.
        var presetFile: String?
        /// 0 means one thread per processor.
        var threadCount: UInt32 = 0

        static let properties: [Property<Self>] =
            [
                .bool(
                    "enabled", \.isEnabled, "Whether frames are changed; false passes them on without a copy"
                ).storedInPresets(false),
                .uint32(
                    "n-threads", \.threadCount, in: 0...64,
                    "Threads that share the work on a frame (0 = one per core)", flags: .anyTime
                ).storedInPresets(false),
                .presetFile, .presetJSON,
            ] + SettingRow.all.map(Property.init)
    }

    // MARK: Lifecycle

    private static let processing = TraceSpan("ntsc.process")

    let host: ElementHost
    private var engine: NTSCEngine

    init(host: ElementHost) {
        self.host = host
        engine = NTSCEngine(host: host)
    }

    mutating func start(_ settings: LiveSettings<Settings>) throws(ElementError) {
        engine.start(threads: settings.now.threadCount)
    }

    mutating func configure(_ format: VideoFormat, _ settings: Settings) throws(FlowResult) {
        try engine.configure(format)
    }

    mutating func process(_ frame: borrowing VideoFrame, _ settings: Settings) throws(FlowResult) {
        let span = Self.processing.begin()
        defer { span.end() }
        try engine.play(frame, settings.signal, threads: settings.threadCount)
    }

    mutating func bufferPasses() { engine.skipFrame() }

    mutating func stop() { engine.stop() }

    static func isPassthrough(_ settings: Settings) -> Bool { !settings.isEnabled }
}
