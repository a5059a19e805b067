/// Reason why a preset is invalid: key, expected value and actual value.
public struct PresetError: Error, Equatable, CustomStringConvertible {
    /// Key with the invalid value; nil if the preset as a whole is invalid.
    public let key: String?
    /// Description of valid values, such as `a number from 0 to 1`.
    public let expected: String
    /// Actual value, such as `2`, `"fast"` or `missing`.
    public let found: String

    /// One sentence without a full stop, so that a file name can precede it.
    public var description: String {
        let subject = key.map { $0.shortened.debugDescription } ?? "The preset"
        return "\(subject) is \(found), but must be \(expected)"
    }
}

extension String {
    /// The text, cut to 40 characters, because strings in a preset can have any length.
    var shortened: String { count > 40 ? prefix(40) + "…" : self }
}
