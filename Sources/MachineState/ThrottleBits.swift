/// Throttling state that the firmware of a Raspberry Pi reports.
///
/// Source: `get_throttled` in the Raspberry Pi documentation of `vcgencmd`.
public struct ThrottleBits: Sendable, Equatable {
    /// Name of the zone in messages.
    public static let zoneName = "firmware-throttle"

    private let bits: UInt32

    /// Parses a hexadecimal number, with or without `0x`; nil for any other text.
    public init?(_ text: String) {
        var digits = Substring(text.filter { !$0.isWhitespace })
        if digits.hasPrefix("0x") { digits = digits.dropFirst(2) }
        guard let bits = UInt32(digits, radix: 16) else { return nil }
        self.bits = bits
    }

    /// Whether the supply voltage is too low.
    public var isUnderVoltage: Bool { (bits & 0x1) != 0 }
    private var isThrottled: Bool { (bits & 0x4) != 0 }
    private var isAtSoftLimit: Bool { (bits & 0x8) != 0 }

    /// Level of the state; throttling because of under-voltage does not count, because lower quality does not help.
    public var level: ThermalLevel {
        if isThrottled && !isUnderVoltage { return .critical }
        return isAtSoftLimit ? .serious : .unknown
    }
}
