import AnalogVideoModel
import AnalogVideoPlayer
import GStreamer
import NTSCFilter
import Threads

/// Time of whole frames.
///
/// The ways to process a frame are measured alternately, so that other load affects all of them.
struct FrameBenchmark {
    /// One way to process a frame.
    struct Way {
        var format = PixelFormat.bgrx
        var settings = NTSCSettings()
        var threads = 1
    }

    struct Result {
        /// Nanoseconds per pixel of a `memcpy` of the first plane.
        let copy: Double
        /// Nanoseconds per pixel of the effect, per way.
        let played: [Double]
        /// Cycles per nanosecond during the measurement.
        let gigahertz: Double
    }

    private let ways: [Way]
    private let players: [NTSCPlayer]
    private var pictures: [TestPicture]

    init(width: Int, height: Int, _ ways: [Way], _ variant: PlayerVariant) {
        self.ways = ways
        pictures = ways.map { TestPicture(width: width, height: height, $0.format) }
        players = ways.map { way in
            guard let player = makePlayer(width: width, height: height, variant: variant) else {
                fatalError("There is no memory for \(width)x\(height).")
            }
            player.reserve(bands: way.threads)
            return player
        }
    }

    mutating func run(repeats: Int? = nil) -> Result {
        var copy = [UInt8](repeating: 0, count: pictures[0].layout.width * pictures[0].layout.height * 8)
        let teams = ways.map { TaskTeam(members: $0.threads) }
        var copies: [Double] = []
        var clocks: [Double] = []
        var played = [[Double]](repeating: [], count: ways.count)
        for frame in 0..<(repeats ?? pictures[0].sensibleRepeats) {
            clocks.append(Clock.gigahertz())
            copies.append(pictures[0].nanosecondsPerPixel { $0.copy(to: &copy) })
            for (index, way) in ways.enumerated() {
                let time = pictures[index].nanosecondsPerPixel {
                    $0.play(
                        on: players[index], frame: frame, way.settings, bands: way.threads,
                        teams[index])
                }
                played[index].append(time)
            }
        }
        teams.forEach { $0.close() }
        return Result(copy: median(copies), played: played.map(median), gigahertz: median(clocks))
    }
}
