import CGStreamer
import GStreamer
import GstTestSupport
import Testing

@Suite struct PropertyTests {
    @Test(arguments: [
        ("flag", "true", "false"), ("int32", "-3", "7"), ("uint32", "3", "9"), ("int64", "-9223372036854775808", "12"),
        ("uint64", "18446744073709551615", "12"), ("gain", "0.25", "0.75"), ("level", "0.5", "1.5"),
        ("mood", "wild", "calm"), ("other-mood", "calm", "wild"), ("parts", "Brightness", "Brightness+Colour"),
        ("trouble", "0", "4"), ("ratio", "3/2", "7/4"),
    ])
    func eachKindHasItsDefaultAndReturnsSetValue(name: String, initial: String, other: String) {
        let subject = Subject()
        #expect(subject.get(name) == initial)
        subject.set(name, other)
        #expect(subject.get(name) == other)
    }

    @Test func stringPropertyMayBeNil() {
        let subject = Subject()
        #expect(subject.get("label") == nil)
        subject.set(string: "label", "two words")
        #expect(subject.get("label") == "\"two\\ words\"")
        subject.set(string: "label", nil)
        #expect(subject.get("label") == nil)
    }

    /// GLib rejects these values before it calls the element.
    @Test func valuesOutOfRangeChangeNothing() {
        let subject = Subject()
        subject.set(float: "gain", 2)
        subject.set(float: "gain", .infinity)
        subject.set(float: "gain", .nan)
        #expect(subject.get("gain") == "0.25")
    }

    @Test func fractionsOutOfRangeChangeNothing() {
        let subject = Subject()
        for text in ["1/3", "9/2"] { subject.set("ratio", text) }
        #expect(subject.get("ratio") == "3/2")
    }

    @Test func setterIgnoresNaN() throws {
        let subject = Subject()
        try subject.setUnchecked(float: "gain", .nan)
        #expect(subject.get("gain") == "0.25")
        try subject.setUnchecked(float: "gain", 0.5)
        #expect(subject.get("gain") == "0.5")
    }

    @Test func unknownPropertyIdsChangeNothing() throws {
        let subject = Subject()
        for id: guint in [0, 20, 4_000_000_000] { try subject.setUnchecked(float: "gain", 0.5, id: id) }
        #expect(subject.get("gain") == "0.25")
    }

    @Test func enumValuesHaveNickAndDescription() throws {
        _ = Subject()
        let values = try #require(g_type_class_ref(g_type_from_name(Mood.typeName)))
        defer { g_type_class_unref(values) }
        let wild = try #require(g_enum_get_value_by_nick(values.assumingMemoryBound(to: GEnumClass.self), "wild"))
        #expect(wild.pointee.value == 7)
        #expect(String(cString: wild.pointee.value_name) == "Everything happens")
    }

    @Test func paramFlagsMatchDeclaration() throws {
        let live = try flags(of: "gain")
        #expect(live & cgst_param_readable().rawValue != 0 && live & cgst_param_writable().rawValue != 0)
        #expect(live & cgst_param_controllable().rawValue != 0)
        #expect(live & cgst_param_mutable_playing().rawValue != 0)
        let beforeStart = try flags(of: "uint32")
        #expect(beforeStart & cgst_param_mutable_ready().rawValue == cgst_param_mutable_ready().rawValue)
        #expect(beforeStart & cgst_param_controllable().rawValue == 0)
        #expect(try flags(of: "stats") & cgst_param_writable().rawValue == 0)
        #expect(try flags(of: "label") & cgst_param_controllable().rawValue == 0)
    }

    private func flags(of name: String) throws -> Int32 {
        let subject = Subject()

        let spec = try #require(g_object_class_find_property(subject.objectClass, name))
        return spec.pointee.flags.rawValue
    }

    @Test func structurePropertiesReadSettingsAndReport() throws {
        let subject = Subject()
        subject.set("int32", "4")
        #expect(subject.structure("echo") == "echo, int32=(int)4;")
        #expect(subject.structure("stats") == "stats, frames=(guint64)0;")
        #expect(subject.get("frames") == "0")
    }
}
