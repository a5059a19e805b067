import Glibc

/// Volume of a player as the protocol counts it: in percent, with the power 1.5 as its gain.
struct PlayVolume: Equatable, Sendable {
    let percent: Int
    let isMuted: Bool

    init(percent: Int, isMuted: Bool) { (self.percent, self.isMuted) = (percent, isMuted) }

    /// The volume for a factor; factors above 1 are 100 %.
    init(_ settings: SendspinPlaySettings) {
        self.init(
            percent: Int((100 * pow(min(max(settings.volume, 0), 1), 1 / 1.5)).rounded()), isMuted: settings.isMuted)
    }

    /// The gain as a factor.
    var factor: Double { pow(Double(percent) / 100, 1.5) }
}
