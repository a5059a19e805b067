/// A JSON object: its members in the order of the text.
///
/// A text may repeat a name (RFC 8259 leaves open what that means). All members are kept, the last one counts, and
/// `repeatedNames` lets the caller refuse them. Names compare as Swift strings do, by canonical equivalence.
public struct JSONObject: Sendable {
    public typealias Member = (name: String, value: JSONValue)

    public private(set) var members: [Member] = []
    /// The names that occur more than once, each as often as it is repeated.
    public private(set) var repeatedNames: [String] = []
    private var places: [String: Int] = [:]

    public init() {}

    /// Adds a member behind the others.
    public mutating func append(_ name: String, _ value: JSONValue) {
        if places.updateValue(members.count, forKey: name) != nil { repeatedNames.append(name) }
        members.append((name, value))
    }

    /// The value of the last member with this name.
    public subscript(name: String) -> JSONValue? { places[name].map { members[$0].value } }
}

extension JSONObject: Equatable {
    /// Whether both have the same members in the same order.
    public static func == (one: Self, other: Self) -> Bool {
        one.members.elementsEqual(other.members) { $0.name == $1.name && $0.value == $1.value }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        for (name, value) in members { append(name, value) }
    }
}
