/// What a Raspberry Pi's firmware says about slowing down.
///
/// The bits of `get_throttled`, as the Raspberry Pi documentation of `vcgencmd` lists them.
public struct ThrottleBits: Sendable, Equatable {
    public static let zoneName = "firmware-throttle"

    private let bits: UInt32

    /// From the text of the file: a hexadecimal number, with or without `0x`.
    public init?(_ text: String) {
        var digits = Substring(text.filter { !$0.isWhitespace })
        if digits.hasPrefix("0x") { digits = digits.dropFirst(2) }
        guard let bits = UInt32(digits, radix: 16) else { return nil }
        self.bits = bits
    }

    public var isUnderVoltage: Bool { (bits & 0x1) != 0 }
    private var isThrottled: Bool { (bits & 0x4) != 0 }
    private var isAtSoftLimit: Bool { (bits & 0x8) != 0 }

    /// Too little voltage throttles too, but no cheaper stream mends a power supply.
    public var level: ThermalLevel {
        if isThrottled && !isUnderVoltage { return .critical }
        return isAtSoftLimit ? .serious : .unknown
    }
}
