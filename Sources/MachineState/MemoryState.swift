/// Whether memory is short.
public enum MemoryState: Sendable {
    /// No file provides the state; callers must not treat this case as `enough`.
    case unknown
    /// Memory suffices.
    case enough
    /// Memory is short.
    case short

    /// Combines two states: short if either is short, else enough if either is enough.
    public func and(_ other: MemoryState) -> MemoryState {
        if self == .short || other == .short { return .short }
        return self == .enough || other == .enough ? .enough : .unknown
    }
}

extension MemoryState {
    /// Percentage of time with a task waiting for memory, above which memory is short.
    static let tolerableWait = 10.0
    /// Unreclaimable memory of a control group, as a share of its limit, above which memory is short.
    static let tolerableUse = 0.95

    /// Parses `/proc/pressure/memory`, or `memory.pressure` of a control group.
    public static func fromPressure(_ text: String) -> MemoryState {
        guard let percent = FileNumber.pressure("avg10", text).flatMap(percentage) else { return .unknown }
        return percent > tolerableWait ? .short : .enough
    }

    /// Compares usage and limit of a control group, without `inactive_file` in `memory.stat`, which is reclaimable.
    public static func fromUse(current: String, limit: String, statistics: String) -> MemoryState {
        guard let used = FileNumber.natural(current) else { return .unknown }
        // Without a limit, version 2 writes "max", and version 1 a number larger than the memory of any machine.
        guard let limit = FileNumber.natural(limit), limit > 0, limit < 1 << 60 else { return .unknown }
        let reclaimable = field("total_inactive_file", statistics) ?? field("inactive_file", statistics) ?? 0
        let held = used - min(reclaimable, used)
        return Double(held) > tolerableUse * Double(limit) ? .short : .enough
    }

    /// Accepts only digits and a point; `Double` also parses other texts.
    private static func percentage(_ text: Substring) -> Double? {
        guard text.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let percent = Double(text), percent <= 100
        else { return nil }
        return percent
    }

    private static func field(_ name: String, _ text: String) -> UInt64? {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == name { return UInt64(words[1]) }
        }
        return nil
    }
}
