import JSON

/// A value from a file, with the damage of the rest of the file.
public struct Stored<Value: Equatable & Sendable>: Equatable, Sendable {
    /// The readable part.
    public var value: Value
    /// The unreadable part, for a warning; nil if there is none.
    public var damage: StoreError?

    /// Creates a value with its damage.
    public init(value: Value, damage: StoreError? = nil) {
        self.value = value
        self.damage = damage
    }

    /// Parses all readable elements of a list.
    init<Element>(_ object: StoredObject, list: String, read: (JSONValue) -> Element?) where Value == [Element] {
        guard case .array(let values)? = object.object[list] else {
            self.init(value: [], damage: object.malformed("\"\(list)\" is missing or not a list"))
            return
        }
        let elements = values.map(read)
        let damaged = elements.firstIndex { $0 == nil }
        self.init(
            value: elements.compactMap { $0 },
            damage: damaged.map { object.malformed("\"\(list)\" has a malformed element at index \($0)") })
    }
}
