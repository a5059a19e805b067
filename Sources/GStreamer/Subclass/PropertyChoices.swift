import CGStreamer
import Synchronization

/// A closed list of values, one of which a property holds.
///
/// The corresponding C type is `GEnumClass`.
public protocol PropertyChoice: RawRepresentable<Int32>, CaseIterable, Sendable, Equatable {
    /// The name of the GType, which begins with `Gst`; properties that share it share the list.
    static var typeName: String { get }
    /// The name in `gst-launch-1.0`.
    var nick: String { get }
    /// The explanation in `gst-inspect-1.0`.
    var summary: String { get }
}

extension Property {
    public typealias ChoiceOption = (value: Int32, nick: String, summary: String)
    public typealias FlagOption = (value: UInt32, nick: String, summary: String)

    /// One of a closed list; only values from the list reach `set`.
    public static func choice(
        _ name: String, typeName: String, options: [ChoiceOption], _ blurb: String, flags: PropertyFlags = .live,
        get: @escaping @Sendable (Settings) -> Int32, set: @escaping @Sendable (inout Settings, Int32) -> Void
    ) -> Self {
        stored(name, flags, as: .choice, get: get, set: set) {
            guard let type = enumType(typeName, options) else { return nil }
            return g_param_spec_enum(name, name, blurb, type, $0, $1)
        }
    }

    /// One of a closed list.
    public static func choice<Choice: PropertyChoice>(
        _ name: String, _ field: Field<Choice>, _ blurb: String, flags: PropertyFlags = .live
    ) -> Self {
        choice(
            name, typeName: Choice.typeName, options: Choice.allCases.map { ($0.rawValue, $0.nick, $0.summary) },
            blurb, flags: flags, get: { $0[keyPath: field].rawValue },
            set: { if let choice = Choice(rawValue: $1) { $0[keyPath: field] = choice } })
    }

    /// Any number of things out of a closed list, one bit each; only bits from the list reach `set`.
    ///
    /// The corresponding C type is `GFlagsClass`.
    public static func flags(
        _ name: String, typeName: String, options: [FlagOption], _ blurb: String,
        flags propertyFlags: PropertyFlags = .live,
        get: @escaping @Sendable (Settings) -> UInt32, set: @escaping @Sendable (inout Settings, UInt32) -> Void
    ) -> Self {
        stored(name, propertyFlags, as: .flags, get: get, set: set) {
            guard let type = flagsType(typeName, options) else { return nil }
            return g_param_spec_flags(name, name, blurb, type, $0, $1)
        }
    }

    /// Any number of things out of a closed list, one bit each.
    public static func flags<Bits: OptionSet & Sendable>(
        _ name: String, typeName: String, options: [FlagOption], _ field: Field<Bits>, _ blurb: String,
        flags propertyFlags: PropertyFlags = .live
    ) -> Self where Bits.RawValue == UInt32 {
        flags(
            name, typeName: typeName, options: options, blurb, flags: propertyFlags,
            get: { $0[keyPath: field].rawValue }, set: { $0[keyPath: field] = Bits(rawValue: $1) })
    }
}

// MARK: - GTypes

/// GLib finds and makes types under its own lock, but not both in one step.
private let registration = Mutex(())

private func enumType(_ name: String, _ options: [Property<NoSettings>.ChoiceOption]) -> GType? {
    listType(name, kind: cgst_type_enum()) {
        g_enum_register_static(
            name,
            immortal(
                options.map {
                    GEnumValue(value: $0.value, value_name: interned($0.summary), value_nick: interned($0.nick))
                },
                end: GEnumValue()))
    }
}

private func flagsType(_ name: String, _ options: [Property<NoSettings>.FlagOption]) -> GType? {
    listType(name, kind: cgst_type_flags()) {
        g_flags_register_static(
            name,
            immortal(
                options.map {
                    GFlagsValue(value: $0.value, value_name: interned($0.summary), value_nick: interned($0.nick))
                },
                end: GFlagsValue()))
    }
}

private func listType(_ name: String, kind: GType, make: () -> GType) -> GType? {
    registration.withLock { _ in
        let known = g_type_from_name(name)
        guard known == cgst_type_invalid() else { return g_type_is_a(known, kind) != 0 ? known : nil }
        let type = make()
        gst_type_mark_as_plugin_api(type, GstPluginAPIFlags(rawValue: 0))
        return type
    }
}

/// GObject keeps pointers into the list for the life of the process.
private func immortal<Entry>(_ entries: [Entry], end: Entry) -> UnsafeMutablePointer<Entry> {
    let list = UnsafeMutablePointer<Entry>.allocate(capacity: entries.count + 1)
    for (index, entry) in (entries + [end]).enumerated() { (list + index).initialize(to: entry) }
    return list
}

private func interned(_ text: String) -> UnsafePointer<gchar>? { g_intern_string(text) }

/// Stands in where a table's type parameter does not matter.
private struct NoSettings: ElementSettings {
    static var properties: [Property<Self>] { [] }
}
