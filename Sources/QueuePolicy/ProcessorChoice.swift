/// Processors that a thread may run on.
public enum ProcessorChoice: Sendable, Equatable {
    /// No restriction.
    case any
    /// These processors, in ascending order.
    case listed([Int])
    /// The fastest processors of the machine.
    case performance

    /// Upper bound of processor numbers, exclusive.
    public static let limit = 1024

    /// Parses a list such as "0-3,6", "performance" or an empty string; nil for any other text.
    public init?(_ text: String) {
        let text = text.filter { $0 != " " }
        switch text {
        case "": self = .any
        case "performance": self = .performance
        default:
            guard let listed = Self.parse(text) else { return nil }
            self = .listed(listed)
        }
    }

    /// Processors whose value is at least 90 % of the highest value, in ascending order.
    ///
    /// Cores of one kind differ by 2 % in an RK3588 and by 6 % in a desktop processor. Small cores are 20 % slower.
    public static func fastest(_ values: [(processor: Int, value: UInt64)]) -> [Int] {
        let most = values.map(\.value).max() ?? 0
        return values.filter { $0.value >= most - (most / 10) }.map(\.processor).sorted()
    }

    /// Processors of `wanted` that are not in `existing`, in ascending order; empty if `existing` is unknown.
    public static func missing(_ wanted: [Int], existing: [Int]) -> [Int] {
        existing.isEmpty ? [] : Set(wanted).subtracting(existing).sorted()
    }

    /// Formats processor numbers in ascending order as ranges: `0-3,6`.
    public static func text(_ processors: [Int]) -> String {
        var runs: [ClosedRange<Int>] = []
        for processor in processors {
            if let last = runs.last, last.upperBound + 1 == processor {
                runs[runs.count - 1] = last.lowerBound...processor
            } else {
                runs.append(processor...processor)
            }
        }
        return runs.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
            .joined(separator: ",")
    }

    private static func parse(_ text: String) -> [Int]? {
        var processors: Set<Int> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map(number)
            guard let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2, first <= last
            else { return nil }
            processors.formUnion(first...last)
        }
        return processors.sorted()
    }

    /// Parses ASCII digits; a sign is rejected.
    private static func number(_ text: Substring) -> Int? {
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(text), number < limit else { return nil }
        return number
    }
}
