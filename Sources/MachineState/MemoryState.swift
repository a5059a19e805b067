/// Whether memory is short.
public enum MemoryState: String, Sendable {
    /// No file provides the state. It must not be treated as enough.
    case unknown
    /// Memory suffices.
    case enough
    /// Memory is short.
    case short

    /// Short if either is short; enough if either is enough.
    public func and(_ other: MemoryState) -> MemoryState {
        if self == .short || other == .short { return .short }
        return self == .enough || other == .enough ? .enough : .unknown
    }
}

extension MemoryState {
    /// Percentage of time that some task waits for memory, above which memory is short.
    static let tolerableWait = 10.0
    /// Share of a control group's limit in memory that cannot be reclaimed, above which memory is short.
    static let tolerableUse = 0.95

    /// From `/proc/pressure/memory`, or a control group's `memory.pressure`.
    ///
    /// The format is described in the kernel's `Documentation/accounting/psi.rst`.
    public static func fromPressure(_ text: String) -> MemoryState {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.first == "some" else { continue }
            for word in words where word.hasPrefix("avg10=") {
                guard let percent = percentage(word.dropFirst("avg10=".count)) else { return .unknown }
                return percent > tolerableWait ? .short : .enough
            }
        }
        return .unknown
    }

    /// From the usage and the limit of a control group, and its `memory.stat`: `inactive_file` can be reclaimed at once.
    public static func fromUse(current: String, limit: String, statistics: String) -> MemoryState {
        guard let used = number(current) else { return .unknown }
        // Without a limit, version 2 writes "max", and version 1 more than any machine has.
        guard let limit = number(limit), limit > 0, limit < 1 << 60 else { return .unknown }
        let reclaimable = field("total_inactive_file", statistics) ?? field("inactive_file", statistics) ?? 0
        let held = used - min(reclaimable, used)
        return Double(held) > tolerableUse * Double(limit) ? .short : .enough
    }

    /// Accepts digits and a point only; Swift parses other texts as numbers, too.
    private static func percentage(_ text: Substring) -> Double? {
        guard text.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let percent = Double(text), percent <= 100
        else { return nil }
        return percent
    }

    private static func number(_ text: String) -> UInt64? { UInt64(text.prefix { $0 != "\n" }) }

    private static func field(_ name: String, _ text: String) -> UInt64? {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == name { return UInt64(words[1]) }
        }
        return nil
    }
}
