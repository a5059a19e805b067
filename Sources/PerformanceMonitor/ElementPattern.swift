import MonitorPolicy

/// Patterns of names with `*` and `?`, separated by commas; without a pattern, all names match.
struct ElementPattern: Sendable {
    private let patterns: [Target]

    init(_ text: String?) {
        patterns = (text ?? "").split(separator: ",").map { Target(name: String(Target.trim($0))) }.filter {
            !$0.name.isEmpty
        }
    }

    func matches(_ names: [String]) -> Bool { patterns.isEmpty || patterns.contains { $0.watches(names) } }
}
