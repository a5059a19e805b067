import AnalogVideoModel
import Threads

extension BandWork: TeamWork {}

/// Runs the bands of a picture on the threads of the team.
extension TaskTeam: BandRunner {
    public func run(_ work: BandWork, bands: Int) { run(work, jobs: bands) }
}
