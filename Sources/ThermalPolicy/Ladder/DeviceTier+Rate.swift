import MachineState

extension DeviceTier {
    /// Share of the frame rate on a cool machine of this tier.
    var rateShare: (numerator: Int, denominator: Int) {
        switch self {
        case .low: (1, 2)
        case .medium: (3, 4)
        case .high: (1, 1)
        }
    }
}
