import JSON

/// A value that was read, with the damage that did not prevent it.
public struct Stored<Value: Equatable & Sendable>: Equatable, Sendable {
    /// All that could be read.
    public var value: Value
    /// The part that could not be read, for a warning; nil if there is none.
    public var damage: StoreError?

    /// A value with its damage.
    public init(value: Value, damage: StoreError? = nil) {
        self.value = value
        self.damage = damage
    }

    /// Reads all elements of a list that can be read.
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
