/// Patterns such as `x86_pkg_temp,cpu*` that select names: `*` matches any text, `?` one character.
public struct GlobPatterns: Sendable, Equatable {
    private let patterns: [[Character]]

    /// Parses patterns; if `text` is nil or empty, the patterns select every name.
    public init(_ text: String?) {
        patterns = (text ?? "").split(separator: ",").map { $0.filter { !$0.isWhitespace } }.filter { !$0.isEmpty }
            .map(Array.init)
    }

    /// Whether there is no pattern.
    public var isEmpty: Bool { patterns.isEmpty }

    /// Whether one of the patterns matches the name, or there is no pattern.
    public func choose(_ name: String) -> Bool {
        isEmpty || patterns.contains { Self.matches($0, Array(name)) }
    }

    /// Patterns that match none of `names`.
    public func unmatched(by names: [String]) -> [String] {
        let names = names.map(Array.init)
        return patterns.filter { pattern in !names.contains { Self.matches(pattern, $0) } }.map { String($0) }
    }

    /// Matches with backtracking only to the last `*`, so that the time is at most the product of both lengths.
    private static func matches(_ pattern: [Character], _ name: [Character]) -> Bool {
        var (p, n) = (0, 0)
        var star: (p: Int, n: Int)?
        while n < name.count {
            if p < pattern.count, pattern[p] == "?" || (pattern[p] == name[n] && pattern[p] != "*") {
                p += 1
                n += 1
            } else if p < pattern.count, pattern[p] == "*" {
                star = (p, n)
                p += 1
            } else if let last = star {
                p = last.p + 1
                n = last.n + 1
                star = (last.p, n)
            } else {
                return false
            }
        }
        return pattern[p...].allSatisfy { $0 == "*" }
    }
}
