/// Names of elements in the figures: two elements in different bins may have one name.
///
/// Outputs distinguish elements by name: series of Prometheus, fields of `stats`, cards of the dashboard.
public enum UniqueNames {
    /// Returns a name for each element, in the order of `names`: the first of a name keeps it, others get a number.
    ///
    /// `pipeline` is the name of the figures of all sinks.
    public static func names(_ names: [String]) -> [String] {
        var taken: Set<String> = [Target.pipeline]
        // A name that an element really has is never given to another.
        let own = Set(names)
        return names.map { name in
            var unique = name
            var number = 2
            while taken.contains(unique) || (unique != name && own.contains(unique)) {
                unique = "\(name)#\(number)"
                number += 1
            }
            taken.insert(unique)
            return unique
        }
    }
}
