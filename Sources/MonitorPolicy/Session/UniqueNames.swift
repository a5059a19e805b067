/// Makes the names of elements unique: two elements in different bins may have the same name.
///
/// Outputs distinguish elements by name: series of Prometheus, fields of `stats`, cards of the dashboard.
public enum UniqueNames {
    /// Returns a name for each element, in the order of `names`; repeated names get a number.
    ///
    /// `Target.pipeline` is reserved for the figures of all sinks.
    public static func names(_ names: [String]) -> [String] {
        var taken: Set<String> = [Target.pipeline]
        // A number never produces the own name of another element.
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
