import JSON

/// The value of the readable part of a file, and an error for the unreadable part.
public struct Stored<Value: Equatable & Sendable>: Equatable, Sendable {
    /// The readable part.
    public var value: Value
    /// Error for a warning about the unreadable part; nil if the whole file is readable.
    public var damage: StoreError?

    /// Creates a value; `damage` is nil if the whole file is readable.
    public init(value: Value, damage: StoreError? = nil) {
        self.value = value
        self.damage = damage
    }

    /// Parses the readable elements of a list; `damage` names the first unreadable one.
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
