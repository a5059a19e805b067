import AnalogVideoModel
import AnalogVideoPlayer
import GStreamer
import Synchronization
import Threads
import Tracing

/// Registers the element `ntscfilter`.
public func registerNTSCFilter(in plugin: Plugin) -> Bool { register(NTSCFilter.self, in: plugin) }

/// Makes video look as if it came through analog television: an NTSC, PAL or SECAM signal, a cable, a VHS tape.
///
///     gst-launch-1.0 videotestsrc ! ntscfilter vhs-tape-speed=ep ! videoconvert ! autovideosink
///
/// Frames are changed in place. The result depends on the settings, on `random-seed` and on the frame number, but not
/// on other frames. The frame number is computed from PTS and framerate; if either is missing, frames are counted.
/// `use-field` selects the fields of progressive video; interlaced video is processed field by field. Y'CbCr formats
/// are supported without `videoconvert`, with the matrix, range and chroma siting of the caps.
///
/// `AnalogVideo` contains the signal code. An `NTSCPlayer` runs it on a team of threads.
struct NTSCFilter: VideoFilter, ~Copyable {

    // MARK: Metadata, pads and properties

    static let factoryName = "ntscfilter"
    static let typeName = "GstNtscFilter"
    static let metadata = ElementMetadata(
        "NTSC, PAL, SECAM and VHS effect",
        classification: "Filter/Effect/Video",
        description: "Makes video look like analog television, NTSC, PAL, SECAM or VHS",
        author: "The gst-plugins-swift authors")
    static let padTemplates: [PadTemplate] = [.sink(PixelFormat.caps), .source(PixelFormat.caps)]
    static let interfaces: [Interface] = [.preset]
    /// Names of the installed presets, in `presets/GstNtscFilter.prs`.
    static let presetNames: Set<String> = [
        "sharp-monitor", "broadcast", "snowy-antenna", "hue-off", "black-and-white-set", "game-console",
        "composite-camcorder", "vhs-sp", "vhs-lp", "vhs-ep", "third-copy", "worn-tape", "bad-tracking",
        "pal-broadcast", "pal-simple-set", "pal-vhs", "secam-broadcast", "secam-fire", "weak-aerial", "rolling-picture",
    ]

    /// Current name of a preset by its name in older versions: `worn-tape` for "Worn tape"; nil for other names.
    static func currentPresetName(of name: String) -> String? {
        let present = String(name.lowercased().map { $0 == " " ? "-" : $0 })
        return present != name && presetNames.contains(present) ? present : nil
    }

    /// Properties of the element, and one property for each setting of the signal.
    struct Settings: ElementSettings {
        var signal = NTSCSettings()
        var isEnabled = true
        /// Value of `preset-file`: path of the file that `signal` was last read from; nil if it is not set.
        var presetFile: String?
        /// Number of threads; 0 creates one per processor.
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

    // MARK: State

    private static let log = DebugCategory(factoryName, "NTSC, PAL, SECAM and VHS effect")
    private static let processing = TraceSpan("ntsc.process")
    private static let hasWarned = Atomic<Bool>(false)

    let host: ElementHost
    private var player: NTSCPlayer?
    private var pixelFormat = PixelFormat.bgrx
    private var colour = ColourCoding.bt601
    private var team = TaskTeam(members: 1)
    private var threadCount: UInt32 = 1
    private var counter = FrameCounter()

    // MARK: Lifecycle

    init(host: ElementHost) { self.host = host }

    mutating func start(_ settings: LiveSettings<Settings>) throws(ElementError) {
        counter = FrameCounter()
        makeTeam(settings.now.threadCount)
    }

    mutating func configure(_ format: VideoFormat, _ settings: Settings) throws(FlowResult) {
        player = nil
        guard let pixelFormat = PixelFormat(rawValue: format.name),
            max(format.width, format.height) <= PixelFormat.largestSide
        else { throw .notNegotiated }
        self.pixelFormat = pixelFormat
        colour = ColourCoding(format.colour)
        player = makePlayer(width: format.width, height: format.rowsInBuffer, pictureHeight: format.height)
        guard let player else { throw outOfMemory(format) }
        player.reserve(bands: team.memberCount)
        let choice = PlayerVariant.choice
        Self.log.info(
            host, "\(format.width)x\(format.height) \(format.name), \(format.interlaceMode), \(choice.variant)")
        warn(of: choice)
    }

    mutating func process(_ frame: borrowing VideoFrame, _ settings: Settings) throws(FlowResult) {
        let span = Self.processing.begin(frame: TraceFrame(runningTime: host.inputRunningTime(ofPTS: frame.pts)))
        defer { span.end() }
        guard let player else { throw .notNegotiated }
        if settings.threadCount != threadCount { makeTeam(settings.threadCount) }
        let number = counter.number(of: frame)
        let hasFields = frame.hasSeparateFields
        for index in 0..<(hasFields ? 2 : 1) {
            let field = hasFields ? index : nil
            var plane = frame.plane(0, ofField: field)
            var plane1 = frame.plane(1, ofField: field)
            var plane2 = frame.plane(2, ofField: field)
            let isPlayed = player.play(
                &plane, &plane1, &plane2, layout: frame.layout(ofField: field, pixelFormat, colour), frame: number,
                scan: frame.scan(ofField: field), settings: settings.signal, bands: team.memberCount, runner: team)
            guard isPlayed else { throw outOfMemory(frame.format) }
        }
    }

    mutating func beforeTransform(isPassthrough: Bool) { if isPassthrough { counter.skip() } }

    mutating func stop() {
        player = nil
        team.close()
        threadCount = 1
    }

    static func isPassthrough(_ settings: Settings) -> Bool { !settings.isEnabled }

    // MARK: Details

    /// Creates the threads: in `start`, and on the streaming thread after a change of `n-threads`.
    private mutating func makeTeam(_ count: UInt32) {
        team.close()
        let members = count == 0 ? TaskTeam.processorCount : Int(count)
        team = TaskTeam(members: members)
        if team.memberCount < members { Self.log.warning(host, "no more threads: \(team.memberCount) of \(members)") }
        threadCount = count
        player?.reserve(bands: team.memberCount)
        Self.log.info(host, "\(team.memberCount) threads")
    }

    /// Posts one warning per process if the environment requests a build that the processor does not support.
    private func warn(of choice: VariantChoice) {
        guard let request = choice.refusedRequest, !Self.hasWarned.exchange(true, ordering: .relaxed) else { return }
        let text =
            "SWIFTVIDEO_PROCESSOR=\(request) names no build that this processor supports; \(choice.variant) is used."
        Self.log.warning(host, text)
        host.post(warning: .library(.settings, text))
    }

    private func outOfMemory(_ format: VideoFormat) -> FlowResult {
        host.fail(
            .resource(
                .noSpaceLeft, "Not enough memory to process frames of \(format.width)x\(format.height).",
                debug: "Reduce the size with videoscale before ntscfilter."))
    }
}

/// Numbers the frames of a stream by PTS and framerate, or by counting buffers if PTS or framerate is missing.
struct FrameCounter {
    /// Number of the next buffer if PTS or framerate is missing.
    private var buffersCounted: UInt64 = 0

    mutating func skip() { buffersCounted &+= 1 }

    mutating func number(of frame: borrowing VideoFrame) -> UInt64 {
        let rate = frame.format.framerate
        // With `interlace-mode=alternate`, each buffer has one of the two fields of a frame.
        let buffersPerFrame: UInt64 = frame.format.interlaceMode == .alternate ? 2 : 1
        let timed = frame.pts.flatMap {
            FrameNumber.at($0, rateNumerator: rate.numerator, rateDenominator: rate.denominator)
        }
        let counted = timed.map { $0 &* buffersPerFrame } ?? buffersCounted
        buffersCounted = counted &+ 1
        return counted / buffersPerFrame
    }
}

extension ColourCoding {
    /// Colorimetry of the caps; GStreamer selects missing values by the size of the picture.
    fileprivate init(_ colour: VideoColour) {
        self = .bt601
        if let weights = colour.weights { (redWeight, blueWeight) = weights }
        isFullRange = colour.isFullRange
        isCositedHorizontally = colour.isCositedHorizontally
        isCositedVertically = colour.isCositedVertically
    }
}

extension PixelFormat {
    /// Maximum width and height in pixels, which bounds the memory that caps can request.
    static let largestSide = 65_536

    /// Caps of both pads, with the formats in order of preference.
    static let caps = preferred.map { formats in
        let list = formats.map(\.rawValue).joined(separator: ", ")
        let sizes =
            "width = [ 1, \(largestSide) ], height = [ 1, \(largestSide) ], framerate = (fraction) [ 0, max ]"
        return """
            video/x-raw, format = { \(list) }, \(sizes); \
            video/x-raw(format:Interlaced), format = { \(list) }, \(sizes), interlace-mode = alternate
            """
    }.joined(separator: "; ")

    /// Formats in order of preference; each group becomes a caps structure.
    ///
    /// A source may select the deepest format of a structure, which is the slowest. Therefore 8-bit formats have
    /// separate structures and come first; of these, R'G'B' is first, because most Y'CbCr formats subsample chroma.
    private static let preferred = [
        allRGB.filter { !$0.isDeep }, allYUV.filter { !$0.isDeep }, allYUV.filter(\.isDeep), allRGB.filter(\.isDeep),
    ]
}

extension BandWork: TeamWork {}

/// Runs the bands of a picture on the threads of the team.
extension TaskTeam: BandRunner {
    public func run(_ work: BandWork, bands: Int) { run(work, jobs: bands) }
}
