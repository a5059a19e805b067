import AnalogVideoModel
import AnalogVideoPlayer
import GStreamer
import Synchronization
import Threads

/// Processes the frames of a stream with an `NTSCPlayer`, on a team of threads.
struct NTSCEngine: ~Copyable {
    private static let log = DebugCategory(NTSCFilter.factoryName, "NTSC and VHS effect")
    private static let hasWarned = Atomic<Bool>(false)
    private let host: ElementHost
    private var player: NTSCPlayer?
    private var pixelFormat = PixelFormat.bgrx
    private var colour = ColourCoding.bt601
    private var team = TaskTeam(members: 1)
    private var threadCount: UInt32 = 1
    private var counter = FrameCounter()

    init(host: ElementHost) { self.host = host }

    // MARK: States

    mutating func start(threads: UInt32) {
        counter = FrameCounter()
        makeTeam(threads)
    }

    mutating func configure(_ format: VideoFormat) throws(FlowResult) {
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

    mutating func stop() {
        player = nil
        team.close()
        threadCount = 1
    }

    /// Creates the threads; the streaming thread calls it only if `n-threads` was changed.
    private mutating func makeTeam(_ count: UInt32) {
        team.close()
        let members = count == 0 ? TaskTeam.processorCount : Int(count)
        team = TaskTeam(members: members)
        if team.memberCount < members { Self.log.warning(host, "no more threads: \(team.memberCount) of \(members)") }
        threadCount = count
        player?.reserve(bands: team.memberCount)
        Self.log.info(host, "\(team.memberCount) threads")
    }

    // MARK: Frames

    /// Counts a buffer that is passed through.
    mutating func skipFrame() { counter.skip() }

    mutating func play(
        _ frame: borrowing VideoFrame, _ settings: NTSCSettings, threads: UInt32
    ) throws(FlowResult) {
        guard let player else { throw .notNegotiated }
        if threads != threadCount { makeTeam(threads) }
        let number = counter.number(of: frame)
        for index in 0..<frame.pictureCount {
            let picture = frame.picture(index)
            var plane = frame.plane(0, of: picture)
            var plane1 = frame.plane(1, of: picture)
            var plane2 = frame.plane(2, of: picture)
            let isPlayed = player.play(
                &plane, &plane1, &plane2, layout: frame.layout(of: picture, pixelFormat, colour), frame: number,
                scan: frame.scan(of: picture), settings: settings, bands: team.memberCount, runner: team)
            guard isPlayed else { throw outOfMemory(frame.format) }
        }
    }

    /// Posts a warning, once in a process, if the environment requests a build that cannot play here.
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

extension ColourCoding {
    /// The colorimetry of the caps; GStreamer chooses missing values by the size of the picture.
    fileprivate init(_ colour: VideoColour) {
        self = .bt601
        if let weights = colour.weights { (redWeight, blueWeight) = weights }
        isFullRange = colour.isFullRange
        isCositedHorizontally = colour.isCositedHorizontally
        isCositedVertically = colour.isCositedVertically
    }
}
