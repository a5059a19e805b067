import Glibc

// `sendspinplay` uses a volume factor; the protocol uses a percentage. The factor is (percentage / 100) to the power of
// `volume-curve`.

extension PlayerVolume {
    /// Converts the factor of the settings; factors above 1 become 100 %.
    init(_ settings: SendspinPlaySettings) {
        let level = pow(min(max(settings.volume, 0), 1), 1 / settings.volumeCurve)
        self.init(percent: Int((100 * level).rounded()), isMuted: settings.isMuted)
    }

    func factor(curve: Double) -> Double { pow(Double(percent) / 100, curve) }
}
