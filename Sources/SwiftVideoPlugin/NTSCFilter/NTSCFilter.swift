import AnalogVideoModel
import AnalogVideoPlayer
import GStreamer

/// Makes video look as if it came through analog television: an NTSC signal, a cable, a VHS tape.
///
///     gst-launch-1.0 videotestsrc ! ntscfilter vhs-tape-speed=ep ! videoconvert ! autovideosink
///
/// Frames are changed in place, each by itself: the picture depends on the frame's number, which comes from its PTS
/// and the framerate, and on `random-seed`. Without a framerate, or without a PTS, frames are counted.
/// Progressive video is taken for fields as `use-field` says, interlaced video as it is.
/// Luma and chroma are played as they come, with the matrix, range and chroma siting of the caps: no converter is needed.
///
/// The signal itself is `AnalogVideo`; this file only shows it to GStreamer.
struct NTSCFilter: VideoFilter, ~Copyable {

    // MARK: What gst-inspect shows

    static let factoryName = "ntscfilter"
    static let typeName = "GstNtscFilter"
    static let metadata = ElementMetadata(
        "NTSC and VHS effect",
        classification: "Filter/Effect/Video",
        description: "Makes video look like analog television, NTSC or VHS",
        author: "The gst-plugins-swift authors")

    /// Wider pictures than any format in use; it bounds the memory that caps can ask for.
    static let largestSide = 65_536
    private static let sizes =
        "width = [ 1, \(largestSide) ], height = [ 1, \(largestSide) ], framerate = (fraction) [ 0, max ]"
    /// The 8-bit formats stand in structures of their own, and first, so that a source that can do all of them and likes
    /// the deepest best does not slow the stream down unasked; those with all of the colour before those with less.
    private static let formats = [
        PixelFormat.allRGB.filter { !$0.isDeep }, PixelFormat.allYUV.filter { !$0.isDeep },
        PixelFormat.allYUV.filter(\.isDeep), PixelFormat.allRGB.filter(\.isDeep),
    ]
    private static let caps = formats.map { formats in
        let list = formats.map(\.rawValue).joined(separator: ", ")
        return """
            video/x-raw, format = { \(list) }, \(sizes); \
            video/x-raw(format:Interlaced), format = { \(list) }, \(sizes), interlace-mode = alternate
            """
    }.joined(separator: "; ")
    static let padTemplates: [PadTemplate] = [.sink(caps), .source(caps)]
    static let interfaces: [Interface] = [.preset]
    static func presentPresetName(of name: String) -> String? { Look.presentName(of: name) }

    // MARK: What happens while the pipeline runs

    private static let log = DebugCategory(factoryName, "NTSC and VHS effect")
    let host: ElementHost
    private var player: NTSCPlayer?
    private var pixelFormat = PixelFormat.bgrx
    private var colour = ColourCoding.bt601
    private var team = TaskTeam(members: 1)
    private var threadCount: UInt32 = 1
    /// Which buffer of the stream the next one is, should it not say when it is shown.
    private var framesCounted: UInt64 = 0

    init(host: ElementHost) { self.host = host }

    mutating func start(_ settings: LiveSettings<Settings>) throws(ElementError) {
        framesCounted = 0
        makeTeam(settings.now.threadCount)
    }

    mutating func configure(_ format: VideoFormat, _ settings: Settings) throws(FlowResult) {
        player = nil
        guard let pixelFormat = PixelFormat(rawValue: format.name),
            max(format.width, format.height) <= Self.largestSide
        else { throw .notNegotiated }
        self.pixelFormat = pixelFormat
        colour = ColourCoding(format.colour)
        player = makePlayer(width: format.width, height: format.rowsInBuffer, pictureHeight: format.height)
        guard let player else { throw lackOfMemory(format) }
        player.reserve(bands: team.memberCount)
        Self.log.info(
            host, "\(format.width)x\(format.height) \(format.name), \(format.interlaceMode), \(PlayerVariant.best)")
    }

    mutating func process(_ frame: borrowing VideoFrame, _ settings: Settings) throws(FlowResult) {
        guard let player else { throw .notNegotiated }
        if settings.threadCount != threadCount { makeTeam(settings.threadCount) }
        let number = number(of: frame)
        let runner = TeamRunner(team: team)
        guard !frame.hasSeparateFields else {
            for field in 0..<2 {
                let layout = PictureLayout(
                    format: pixelFormat, width: frame.width, height: frame.fieldHeight(field),
                    planes: InlineArray {
                        PlaneLayout(
                            firstRow: frame.firstRowOffset(ofField: field, plane: $0),
                            stride: frame.stride(ofField: field, plane: $0))
                    }, colour: colour)
                var plane = frame.field(field, plane: 0)
                var plane1 = frame.field(field, plane: 1)
                var plane2 = frame.field(field, plane: 2)
                let isPlayed = player.play(
                    &plane, &plane1, &plane2, layout: layout, frame: number,
                    scan: .separateField(isSecond: (field == 0) != frame.isTopFieldFirst, isTop: field == 0),
                    settings: settings.signal, bands: team.memberCount, runner: runner)
                guard isPlayed else { throw lackOfMemory(frame.format) }
            }
            return
        }
        let layout = PictureLayout(
            format: pixelFormat, width: frame.width, height: frame.height,
            planes: InlineArray {
                PlaneLayout(firstRow: frame.firstRowOffset(ofPlane: $0), stride: frame.stride(ofPlane: $0))
            }, colour: colour)
        var plane = frame.plane(0)
        var plane1 = frame.plane(1)
        var plane2 = frame.plane(2)
        let isPlayed = player.play(
            &plane, &plane1, &plane2, layout: layout, frame: number, scan: scan(of: frame), settings: settings.signal,
            bands: team.memberCount, runner: runner)
        guard isPlayed else { throw lackOfMemory(frame.format) }
    }

    mutating func bufferPasses() { framesCounted &+= 1 }

    mutating func stop() {
        player = nil
        team.close()
        threadCount = 1
    }

    static func isPassthrough(_ settings: Settings) -> Bool { !settings.isEnabled }

    // MARK: Details

    private func lackOfMemory(_ format: VideoFormat) -> FlowResult {
        host.fail(
            .resource(
                .noSpaceLeft, "There is no memory for pictures of \(format.width)x\(format.height).",
                debug: "Scale them down in front of ntscfilter."))
    }

    /// Called while frames flow only when the number of threads is changed then.
    private mutating func makeTeam(_ count: UInt32) {
        team.close()
        team = TaskTeam(members: count == 0 ? TaskTeam.processorCount : Int(count))
        threadCount = count
        player?.reserve(bands: team.memberCount)
        Self.log.info(host, "\(team.memberCount) threads")
    }

    private mutating func number(of frame: borrowing VideoFrame) -> UInt64 {
        let rate = frame.format.framerate
        // Two fields that come one by one are one frame.
        let buffersPerFrame: UInt64 = frame.format.interlaceMode == .alternate ? 2 : 1
        let timed = frame.pts.flatMap {
            FrameNumber.at(nanoseconds: $0, rateNumerator: rate.numerator, rateDenominator: rate.denominator)
        }
        let counted = timed.map { $0 &* buffersPerFrame } ?? framesCounted
        framesCounted = counted &+ 1
        return counted / buffersPerFrame
    }

    private func scan(of frame: borrowing VideoFrame) -> Scan {
        guard frame.isInterlaced else { return .progressive }
        if frame.format.interlaceMode == .alternate {
            return .separateField(isSecond: false, isTop: frame.isTopFieldFirst)
        }
        if frame.isOneField { return .oneField(isTop: frame.isTopFieldFirst) }
        return .interlaced(topFieldFirst: frame.isTopFieldFirst)
    }
}

extension ColourCoding {
    /// As the caps say; what they leave open, GStreamer has filled in by the size of the picture.
    fileprivate init(_ colour: VideoColour) {
        self = .bt601
        if let weights = colour.weights { (redWeight, blueWeight) = weights }
        isFullRange = colour.isFullRange
        isCositedHorizontally = colour.isCositedHorizontally
        isCositedVertically = colour.isCositedVertically
    }
}

/// Lets the bands of a picture run on GStreamer's threads.
private struct TeamRunner: BandRunner {
    let team: TaskTeam

    func run(_ work: BandWork, bands: Int) { team.run(work, jobs: bands) }
}

extension BandWork: TeamWork {}
