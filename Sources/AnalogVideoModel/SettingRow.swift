/// Description of one setting: its name in a preset file, its range, its blurb.
///
/// Values are passed as `Double`, which represents each `Float`, `Int32` and `Bool` exactly.
public struct SettingRow: Sendable {
    /// Name in a preset file, in `snake_case`.
    public let key: String
    /// Blurb of the GObject property.
    public let blurb: String
    /// Type and range of the setting.
    public let kind: Kind
    /// Value if a preset file does not contain the key; nil if that is the default.
    public let legacy: Double?
    /// Whether ntsc-rs lacks the setting; presets have the key only if the value differs from the default.
    public private(set) var isOwn = false

    /// Type and range of a setting.
    public enum Kind: Sendable {
        /// True or false.
        case toggle
        /// A whole number in this range.
        case integer(ClosedRange<Int32>)
        /// A number in this range.
        case real(ClosedRange<Float>)
        /// One of these options; `typeName` is the name of the GEnum without its prefix.
        case choice(typeName: String, options: [Option])
    }

    /// One value of a `SettingChoice`: its number in preset files, its name in launch lines and its description.
    public typealias Option = (value: Int32, nick: String, summary: String)

    private let get: @Sendable (NTSCSettings) -> Double
    private let set: @Sendable (inout NTSCSettings, Double) -> Void

    /// Name of the GObject property, in `kebab-case`.
    public var propertyName: String { String(key.map { $0 == "_" ? "-" : $0 }) }

    /// Value in `settings`; a toggle is 0 or 1.
    public func value(in settings: NTSCSettings) -> Double { get(settings) }

    /// Stores `value`, clamped to the range; an integer setting is truncated.
    ///
    /// Returns false and stores nothing if `value` is NaN, or not a value of the choice.
    @discardableResult
    public func store(_ value: Double, in settings: inout NTSCSettings) -> Bool {
        guard !value.isNaN else { return false }
        switch kind {
        case .toggle: set(&settings, value == 0 ? 0 : 1)
        case .integer(let range):
            set(&settings, min(max(value.rounded(.towardZero), Double(range.lowerBound)), Double(range.upperBound)))
        case .real(let range):
            set(&settings, Double(min(max(Float(value), range.lowerBound), range.upperBound)))
        case .choice(_, let options):
            guard options.contains(where: { Double($0.value) == value.rounded(.towardZero) }) else { return false }
            set(&settings, value.rounded(.towardZero))
        }
        return true
    }
}

extension SettingRow {
    /// Description of valid values, for error messages.
    var expectation: String {
        switch kind {
        case .toggle: "true or false"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .real(let range): "a number from \(range.lowerBound.shortText) to \(range.upperBound.shortText)"
        case .choice(_, let options): "one of " + options.map { "\($0.value) (\($0.nick))" }.joined(separator: ", ")
        }
    }
}

// MARK: - Creating rows

extension SettingRow {
    typealias Field<Value> = WritableKeyPath<NTSCSettings, Value> & Sendable

    static func toggle(
        _ key: String, _ field: Field<Bool>, legacy: Bool? = nil, isOwn: Bool = false, _ blurb: String
    ) -> Self {
        Self(
            key: key, blurb: blurb, kind: .toggle, legacy: legacy.map { $0 ? 1 : 0 }, isOwn: isOwn,
            get: { $0[keyPath: field] ? 1 : 0 }, set: { $0[keyPath: field] = $1 != 0 })
    }

    static func integer(
        _ key: String, _ field: Field<Int32>, in range: ClosedRange<Int32>, legacy: Int32? = nil, isOwn: Bool = false,
        _ blurb: String
    ) -> Self {
        Self(
            key: key, blurb: blurb, kind: .integer(range), legacy: legacy.map(Double.init), isOwn: isOwn,
            get: { Double($0[keyPath: field]) }, set: { $0[keyPath: field] = Int32($1) })
    }

    static func real(
        _ key: String, _ field: Field<Float>, in range: ClosedRange<Float>, legacy: Float? = nil, isOwn: Bool = false,
        _ blurb: String
    ) -> Self {
        Self(
            key: key, blurb: blurb, kind: .real(range), legacy: legacy.map(Double.init), isOwn: isOwn,
            get: { Double($0[keyPath: field]) }, set: { $0[keyPath: field] = Float($1) })
    }

    static func choice<Choice: SettingChoice>(
        _ key: String, _ field: Field<Choice>, legacy: Choice? = nil, isOwn: Bool = false, _ blurb: String
    ) -> Self {
        let options: [Option] = Choice.allCases.map { ($0.rawValue, $0.nick, $0.summary) }
        return Self(
            key: key, blurb: blurb, kind: .choice(typeName: Choice.typeName, options: options),
            legacy: legacy.map { Double($0.rawValue) }, isOwn: isOwn,
            get: { Double($0[keyPath: field].rawValue) },
            set: {
                guard let choice = Choice(rawValue: Int32($1)) else { return }
                $0[keyPath: field] = choice
            })
    }
}
