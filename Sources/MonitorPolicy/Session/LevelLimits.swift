extension ElementSnapshot.Level {
    /// Prefixes of the names of values, and of the properties that contain their limits.
    private static let limits: [(prefix: String, limit: String)] = [
        ("current-level-", "max-size-"), ("in-flight", "max-in-flight"),
    ]

    /// Adds to each level the limit that another level of the same element contains; 0 means no limit.
    public static func withLimits(_ levels: [Self]) -> [Self] {
        levels.map { level in
            var level = level
            for (prefix, limit) in limits where level.name.hasPrefix(prefix) {
                let name = limit + level.name.dropFirst(prefix.count)
                level.limit = levels.first { $0.name == name && $0.value > 0 && !$0.isNone }?.value
            }
            return level
        }
    }
}
