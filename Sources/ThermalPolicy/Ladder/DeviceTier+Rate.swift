import MachineState

extension DeviceTier {
    /// The share of the frame rate that a cool machine of this tier gets.
    var rateShare: (numerator: Int, denominator: Int) {
        switch self {
        case .low: (1, 2)
        case .medium: (3, 4)
        case .high: (1, 1)
        }
    }
}
