/// Why a preset was refused, in words that help to repair it.
public struct PresetError: Error, Equatable, CustomStringConvertible {
    /// The setting at fault; nil if it is the preset as a whole.
    public let key: String?
    /// What would have been right: `a number from 0 to 1`.
    public let expected: String
    /// What stood there instead: `2`, `"fast"`, `missing`.
    public let found: String

    /// One sentence, without a full stop, so that a file name can go before it.
    public var description: String {
        let subject = key.map { $0.shortened.debugDescription } ?? "The preset"
        return "\(subject) is \(found), but must be \(expected)"
    }
}

extension String {
    /// What fits in a message: a preset can hold strings of any length.
    var shortened: String { count > 40 ? prefix(40) + "…" : self }
}
