import Glibc

// The volume of `sendspinplay` is a factor, that of the protocol a percentage whose power 1.5 is the factor.

extension PlayerVolume {
    /// The volume for a factor; factors above 1 are 100 %.
    init(_ settings: SendspinPlaySettings) {
        self.init(
            percent: Int((100 * pow(min(max(settings.volume, 0), 1), 1 / 1.5)).rounded()), isMuted: settings.isMuted)
    }

    /// The factor.
    var factor: Double { pow(Double(percent) / 100, 1.5) }
}
