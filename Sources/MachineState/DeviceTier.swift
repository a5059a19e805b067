/// Computing power of a machine.
public enum DeviceTier: Sendable, Equatable, CaseIterable {
    /// Tiers, which `judge` determines.
    case low, medium, high

    /// Returns the lowest of the tiers for processors, memory and highest frequency; unknown values do not count.
    public static func judge(processors: Int, memoryBytes: UInt64?, hertz: UInt64?) -> Self {
        let gigabyte: UInt64 = 1 << 30
        func rank(_ isLow: Bool, _ isMedium: Bool) -> Int { isLow ? 0 : isMedium ? 1 : 2 }
        let ranks = [
            rank(processors < 2, processors < 4),
            memoryBytes.map { rank($0 < gigabyte * 3 / 4, $0 < gigabyte * 7 / 4) } ?? 2,
            hertz.map { rank($0 < 1_000_000_000, $0 < 1_500_000_000) } ?? 2,
        ]
        return [Self.low, .medium, .high][ranks.min() ?? 2]
    }

    /// Size in a line such as `MemTotal:  16384 kB` of `/proc/meminfo`, in bytes.
    public static func memoryBytes(_ meminfo: String) -> UInt64? { FileNumber.kilobytes("MemTotal", meminfo) }
}
