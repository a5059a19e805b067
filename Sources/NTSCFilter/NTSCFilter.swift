import AnalogVideoModel
import GStreamer
import Tracing

/// Registers the element `ntscfilter`.
public func registerNTSCFilter(in plugin: Plugin) -> Bool { register(NTSCFilter.self, in: plugin) }

/// Makes video look as if it came through analog television: an NTSC signal, a cable, a VHS tape.
///
///     gst-launch-1.0 videotestsrc ! ntscfilter vhs-tape-speed=ep ! videoconvert ! autovideosink
///
/// Frames are changed in place. The result depends on the settings, on `random-seed` and on the frame number, but not
/// on other frames. The frame number is computed from PTS and framerate; without either of them, frames are counted.
/// `use-field` selects the fields of progressive video; interlaced video is processed field by field. Y'CbCr formats
/// are supported without `videoconvert`, with the matrix, range and chroma siting of the caps.
///
/// `NTSCEngine` processes the frames; the signal code is in `AnalogVideo`.
struct NTSCFilter: VideoFilter, ~Copyable {

    // MARK: Metadata, pads and properties

    static let factoryName = "ntscfilter"
    static let typeName = "GstNtscFilter"
    static let metadata = ElementMetadata(
        "NTSC and VHS effect",
        classification: "Filter/Effect/Video",
        description: "Makes video look like analog television, NTSC or VHS",
        author: "The gst-plugins-swift authors")
    static let padTemplates: [PadTemplate] = [.sink(PixelFormat.caps), .source(PixelFormat.caps)]
    static let interfaces: [Interface] = [.preset]
    static func currentPresetName(of name: String) -> String? { Look.presentName(of: name) }

    /// The properties of the element, and one property for each setting of the signal.
    struct Settings: ElementSettings {
        var signal = NTSCSettings()
        var isEnabled = true
        /// Path of the file that `signal` was last read from; nil if it was not read from a file.
        var presetFile: String?
        /// 0 means one thread per processor.
        var threadCount: UInt32 = 0

        static let properties: [Property<Self>] =
            [
                .bool(
                    "enabled", \.isEnabled, "Applies the effect; false passes frames through unchanged, without a copy"
                ).storedInPresets(false),
                .uint32(
                    "n-threads", \.threadCount, in: 0...64,
                    "Number of threads that process a frame (0 = one per processor)", flags: .anyTime
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
        let span = Self.processing.begin(frame: TraceFrame(runningTime: host.inputRunningTime(ofPTS: frame.pts)))
        defer { span.end() }
        try engine.play(frame, settings.signal, threads: settings.threadCount)
    }

    mutating func beforeTransform(isPassthrough: Bool) { if isPassthrough { engine.skipFrame() } }

    mutating func stop() { engine.stop() }

    static func isPassthrough(_ settings: Settings) -> Bool { !settings.isEnabled }
}
