/// Whether memory is short, as far as anyone can tell.
public enum MemoryState: String, Sendable {
    /// Nobody can tell; it must not count as good news.
    case unknown
    case enough
    case short

    /// Of several witnesses the gravest counts.
    public func and(_ other: MemoryState) -> MemoryState {
        if self == .short || other == .short { return .short }
        return self == .enough || other == .enough ? .enough : .unknown
    }
}

extension MemoryState {
    /// The share of time that some task waited for memory, above which it counts as short.
    static let tolerableWait = 10.0
    /// The share of a control group's limit that may be taken by memory nobody can reclaim.
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

    /// From what a control group uses, may use, and could give back at once: `inactive_file` in its `memory.stat`.
    public static func fromUse(current: String, limit: String, statistics: String) -> MemoryState {
        guard let used = number(current) else { return .unknown }
        // "max" in version 2; version 1 writes a number of pages that no machine has.
        guard let limit = number(limit), limit > 0, limit < 1 << 60 else { return .unknown }
        let reclaimable = field("total_inactive_file", statistics) ?? field("inactive_file", statistics) ?? 0
        let held = used - min(reclaimable, used)
        return Double(held) > tolerableUse * Double(limit) ? .short : .enough
    }

    /// Digits and a point, and nothing else that Swift would read as a number.
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
