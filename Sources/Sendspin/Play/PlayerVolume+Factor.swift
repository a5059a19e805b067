import Glibc

// `sendspinplay` uses a volume factor; the protocol uses a percentage. The factor is (percentage / 100) to the power
// 1.5.

extension PlayerVolume {
    /// Converts the factor of the settings; factors above 1 become 100 %.
    init(_ settings: SendspinPlaySettings) {
        self.init(
            percent: Int((100 * pow(min(max(settings.volume, 0), 1), 1 / 1.5)).rounded()), isMuted: settings.isMuted)
    }

    var factor: Double { pow(Double(percent) / 100, 1.5) }
}
