import JSON

extension Targets {
    /// Reads targets from a JSON file with the words of the text.
    ///
    /// The member `targets` contains a member for each target. `thresholds` applies to all of them. A `description` is
    /// permitted everywhere, and a `battery`, the share of its charge in half an hour, in a target: applications read
    /// both: `{"targets": {"encoder": {"p95": "20ms", "rate": 30, "tiers": [15, "off"]}}}`.
    public init(file bytes: [UInt8]) throws(TargetError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes, limits: JSONLimits(byteCount: Self.longestText, depth: 8))
        } catch {
            let place = TargetError.Place.line(error.line, column: error.column)
            throw TargetError(place: place, fault: "\(error.reason)", allowed: "")
        }
        try self.init(value)
    }

    private init(_ value: JSONValue) throws(TargetError) {
        let file = try Self.members(value, [], "an object with the members targets and thresholds")
        var thresholds = Thresholds()
        for (name, value) in file.members {
            switch name {
            case "description", "targets": break
            case "thresholds": thresholds = try Self.thresholds(value)
            default:
                throw TargetError(
                    place: .path([name]), fault: "\(TargetError.quote(name)) is not a member of the file",
                    allowed: "targets, thresholds, description")
            }
        }
        guard let targets = file["targets"] else {
            throw TargetError(place: .path([]), fault: "the member targets is missing", allowed: "{\"targets\": {}}")
        }
        for (name, value) in try Self.members(targets, ["targets"], "an object with a member for each target").members {
            let place = ["targets", name]
            guard !name.isEmpty, name.utf8.count <= 255 else {
                throw TargetError(place: .path(place), fault: "a name is empty or too long", allowed: "1 to 255 bytes")
            }
            try append(try Self.target(name, value, thresholds, place), at: .path(place))
        }
    }

    private static func target(
        _ name: String, _ value: JSONValue, _ thresholds: Thresholds, _ place: [String]
    ) throws(TargetError) -> Target {
        var target = Target(name: name)
        target.thresholds = thresholds
        try set(value, of: &target, TargetWord.all, place)
        try target.check(at: .path(place))
        return target
    }

    private static func thresholds(_ value: JSONValue) throws(TargetError) -> Thresholds {
        var carrier = Target(name: "thresholds")
        try set(value, of: &carrier, TargetWord.thresholds, ["thresholds"])
        try carrier.thresholds.check(at: .path(["thresholds"]))
        return carrier.thresholds
    }

    private static func set(
        _ value: JSONValue, of target: inout Target, _ words: [TargetWord], _ place: [String]
    ) throws(TargetError) {
        let allowed = words.map(\.name).joined(separator: ", ")
        for (name, value) in try members(value, place, "an object with the words \(allowed)").members
        where name != "description" && name != "battery" {
            guard let word = words.first(where: { $0.name == name }) else {
                throw TargetError(
                    place: .path(place + [name]), fault: "\(TargetError.quote(name)) is not a word here",
                    allowed: allowed)
            }
            guard let text = text(of: value) else {
                throw TargetError(
                    place: .path(place + [name]), fault: "\(name) is neither a number nor a string",
                    allowed: word.allowed)
            }
            try target.set(word, to: text, at: .path(place + [name]))
        }
    }

    private static func members(
        _ value: JSONValue, _ place: [String], _ allowed: String
    ) throws(TargetError) -> JSONObject {
        guard case .object(let object) = value else {
            throw TargetError(place: .path(place), fault: "the value is not an object", allowed: allowed)
        }
        if let name = object.repeatedNames.first {
            let fault = "\(TargetError.quote(name)) is there twice"
            throw TargetError(place: .path(place + [name]), fault: fault, allowed: "each name once")
        }
        return object
    }

    /// Text of a number or a string; texts of an array are joined by `|`.
    private static func text(of value: JSONValue) -> String? {
        switch value {
        case .number(let number): return number.text
        case .string(let text): return text
        case .array(let values):
            let texts = values.map { text(of: $0) }
            return texts.contains(nil) ? nil : texts.compactMap { $0 }.joined(separator: "|")
        default: return nil
        }
    }
}
