import AnalogVideoModel
import AnalogVideoPlayer
import GStreamer

/// Whole frames, with one thread and with two, and a plain copy of the frame between them.
struct FrameBenchmark {
    struct Result {
        /// Nanoseconds per pixel of a `memcpy`.
        let copy: Double
        /// Nanoseconds per pixel of the effect, with one thread and with two.
        let played: [Double]
    }

    private let picture: TestPicture
    private let settings: NTSCSettings
    private let player: NTSCPlayer

    init(width: Int, height: Int, _ settings: NTSCSettings, _ variant: PlayerVariant) {
        picture = TestPicture(width: width, height: height)
        self.settings = settings
        player = makePlayer(width: width, height: height, variant: variant)
    }

    /// The three are measured in turn, so that a busy machine slows all of them down alike.
    func run() -> Result {
        var picture = picture
        var copy = [UInt8](repeating: 0, count: picture.bytes.count)
        let teams = [TaskTeam(members: 1), TaskTeam(members: 2)]
        var copies: [Double] = []
        var played: [[Double]] = [[], []]
        for frame in 0..<picture.sensibleRepeats {
            copies.append(picture.nanosecondsPerPixel { picture in copy.replaceSubrange(0..., with: picture.bytes) })
            for (index, team) in teams.enumerated() {
                let time = picture.nanosecondsPerPixel { picture in
                    let layout = picture.layout
                    var pixels = picture.bytes.mutableSpan
                    player.play(
                        &pixels, layout: layout, frame: UInt64(frame), scan: .progressive, settings: settings,
                        bands: index + 1, runner: TeamRunner(team: team))
                }
                played[index].append(time)
            }
        }
        teams.forEach { $0.close() }
        return Result(copy: median(copies), played: played.map(median))
    }
}

/// Runs bands as the element does, on GStreamer's own threads.
private struct TeamRunner: BandRunner {
    let team: TaskTeam

    func run(_ work: BandWork, bands: Int) { team.run(work, jobs: bands) }
}

extension BandWork: TeamWork {}
