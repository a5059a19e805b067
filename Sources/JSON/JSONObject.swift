/// A JSON object with its members in the order of the text.
///
/// RFC 8259 does not define the meaning of repeated names. All members are stored, and the subscript returns the last
/// one of a name; callers can check `repeatedNames`. Names compare as Swift strings, by canonical equivalence.
public struct JSONObject: Sendable {
    /// A name with its value.
    public typealias Member = (name: String, value: JSONValue)

    /// The members in their order; names may be repeated.
    public private(set) var members: [Member] = []
    /// Names of members that repeat an earlier name, once per such member.
    public private(set) var repeatedNames: [String] = []
    private var places: [String: Int] = [:]

    public init() {}

    /// Appends a member.
    public mutating func append(_ name: String, _ value: JSONValue) {
        if places.updateValue(members.count, forKey: name) != nil { repeatedNames.append(name) }
        members.append((name, value))
    }

    /// Value of the last member with this name; nil if there is none.
    public subscript(name: String) -> JSONValue? { places[name].map { members[$0].value } }
}

extension JSONObject: Equatable {
    /// Whether both objects have equal members in the same order.
    public static func == (one: Self, other: Self) -> Bool {
        one.members.elementsEqual(other.members) { $0.name == $1.name && $0.value == $1.value }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object with members in this order.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        for (name, value) in members { append(name, value) }
    }
}
