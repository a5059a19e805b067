import CGStreamer
import Threads

/// The values of an enum property.
///
/// The corresponding C type is `GEnumClass`.
public protocol PropertyChoice: RawRepresentable<Int32>, CaseIterable, Sendable, Equatable {
    /// The name of the GType, beginning with `Gst`; several properties may use the same type.
    static var typeName: String { get }
    /// The nick, used in `gst-launch-1.0`.
    var nick: String { get }
    /// The description in `gst-inspect-1.0`.
    var summary: String { get }
}

extension Property {
    /// A value of an enum: its number, nick and description.
    public typealias ChoiceOption = (value: Int32, nick: String, summary: String)
    /// A value of a flags type: its bits, nick and description.
    public typealias FlagOption = (value: UInt32, nick: String, summary: String)

    /// An enum property; `set` receives only values of `options`.
    public static func choice(
        _ name: String, typeName: String, options: [ChoiceOption], _ blurb: String,
        flags: PropertyFlags = Settings.defaultFlags,
        get: @escaping @Sendable (Settings) -> Int32, set: @escaping @Sendable (inout Settings, Int32) -> Void
    ) -> Self {
        stored(name, flags, as: .choice, get: get, set: set) {
            guard let type = enumType(typeName, options) else { return nil }
            return g_param_spec_enum(name, name, blurb, type, $0, $1)
        }
    }

    /// An enum property.
    public static func choice<Choice: PropertyChoice>(
        _ name: String, _ field: Field<Choice>, _ blurb: String, flags: PropertyFlags = Settings.defaultFlags
    ) -> Self {
        choice(
            name, typeName: Choice.typeName, options: Choice.allCases.map { ($0.rawValue, $0.nick, $0.summary) },
            blurb, flags: flags, get: { $0[keyPath: field].rawValue },
            set: { if let choice = Choice(rawValue: $1) { $0[keyPath: field] = choice } })
    }

    /// A flags property; `set` receives only bits of `options`.
    ///
    /// The corresponding C type is `GFlagsClass`.
    public static func flags(
        _ name: String, typeName: String, options: [FlagOption], _ blurb: String,
        flags propertyFlags: PropertyFlags = Settings.defaultFlags,
        get: @escaping @Sendable (Settings) -> UInt32, set: @escaping @Sendable (inout Settings, UInt32) -> Void
    ) -> Self {
        stored(name, propertyFlags, as: .flags, get: get, set: set) {
            guard let type = flagsType(typeName, options) else { return nil }
            return g_param_spec_flags(name, name, blurb, type, $0, $1)
        }
    }

    /// A flags property.
    public static func flags<Bits: OptionSet & Sendable>(
        _ name: String, typeName: String, options: [FlagOption], _ field: Field<Bits>, _ blurb: String,
        flags propertyFlags: PropertyFlags = Settings.defaultFlags
    ) -> Self where Bits.RawValue == UInt32 {
        flags(
            name, typeName: typeName, options: options, blurb, flags: propertyFlags,
            get: { $0[keyPath: field].rawValue }, set: { $0[keyPath: field] = Bits(rawValue: $1) })
    }
}

// MARK: - GTypes

/// Makes the lookup and the registration of a type one atomic step.
private let registration = ProcessMutex(())

private func enumType(_ name: String, _ options: [Property<NoSettings>.ChoiceOption]) -> GType? {
    let values = options.map {
        GEnumValue(value: $0.value, value_name: interned($0.summary), value_nick: interned($0.nick))
    }
    return listType(
        name,
        hasSameValues: { type in
            guard g_type_is_a(type, cgst_type_enum()) != 0, let known = g_type_class_ref(type) else { return false }
            defer { g_type_class_unref(known) }
            let list = known.assumingMemoryBound(to: GEnumClass.self).pointee
            return Int(list.n_values) == values.count
                && values.indices.allSatisfy {
                    list.values[$0].value == values[$0].value
                        && isSame(list.values[$0].value_nick, values[$0].value_nick)
                }
        }, make: { g_enum_register_static($0, immortal(values, end: GEnumValue())) })
}

private func flagsType(_ name: String, _ options: [Property<NoSettings>.FlagOption]) -> GType? {
    let values = options.map {
        GFlagsValue(value: $0.value, value_name: interned($0.summary), value_nick: interned($0.nick))
    }
    return listType(
        name,
        hasSameValues: { type in
            guard g_type_is_a(type, cgst_type_flags()) != 0, let known = g_type_class_ref(type) else { return false }
            defer { g_type_class_unref(known) }
            let list = known.assumingMemoryBound(to: GFlagsClass.self).pointee
            return Int(list.n_values) == values.count
                && values.indices.allSatisfy {
                    list.values[$0].value == values[$0].value
                        && isSame(list.values[$0].value_nick, values[$0].value_nick)
                }
        }, make: { g_flags_register_static($0, immortal(values, end: GFlagsValue())) })
}

/// The registered type `name` if it has the same values, else a new type.
///
/// Another plugin may have registered the same enum. If its values differ, this shared object uses another type name.
private func listType(_ name: String, hasSameValues: (GType) -> Bool, make: (String) -> GType) -> GType? {
    registration.withLock { _ in
        var name = name
        let known = g_type_from_name(name)
        if known != cgst_type_invalid() {
            if hasSameValues(known) { return known }
            bridgeLog.warning(nil, "another plugin has registered \(name) with other values")
            name += "-\(SharedObject.uniqueName)"
            let ours = g_type_from_name(name)
            if ours != cgst_type_invalid() { return hasSameValues(ours) ? ours : nil }
        }
        let type = make(name)
        guard type != cgst_type_invalid() else { return nil }
        gst_type_mark_as_plugin_api(type, GstPluginAPIFlags(rawValue: 0))
        return type
    }
}

private func isSame(_ one: UnsafePointer<gchar>?, _ other: UnsafePointer<gchar>?) -> Bool { g_strcmp0(one, other) == 0 }

/// A copy of `entries`, terminated by `end`; it is never freed, because GObject keeps pointers to it.
private func immortal<Entry>(_ entries: [Entry], end: Entry) -> UnsafeMutablePointer<Entry> {
    let list = UnsafeMutablePointer<Entry>.allocate(capacity: entries.count + 1)
    for (index, entry) in (entries + [end]).enumerated() { (list + index).initialize(to: entry) }
    return list
}

private func interned(_ text: String) -> UnsafePointer<gchar>? { g_intern_string(text) }
