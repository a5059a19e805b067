import AnalogVideoModel
import CGStreamer
import Foundation
import GstTestSupport
import Testing

/// Tests presets in files and in text.
struct PresetTests {
    private static let good = GoldenFrame.folder.appending(path: "presets/everything.json").path
    private let folder = Setup.newFolder()

    /// An invalid preset, and the texts that the message must contain.
    struct Bad: Sendable, CustomStringConvertible {
        let description: String
        var text: String?
        let expected: [String]
    }

    static let bad = [
        Bad(description: "missing", expected: ["not found"]),
        Bad(description: "empty", text: "", expected: ["JSON"]),
        Bad(description: "malformed", text: "{ \"version\": 1, ", expected: ["JSON"]),
        Bad(description: "version", text: "{ \"version\": 2 }", expected: ["\"version\"", "2", "must be 1"]),
        Bad(
            description: "kind", text: #"{ "version": 1, "luma_smear": "much" }"#,
            expected: ["\"luma_smear\"", "\"much\"", "a number from 0 to 1"]),
        Bad(
            description: "toggle", text: #"{ "version": 1, "ringing": 1 }"#, expected: ["\"ringing\"", "true or false"]),
        Bad(
            description: "choice", text: #"{ "version": 1, "use_field": 9 }"#,
            expected: ["\"use_field\"", "9", "interleaved-upper"]),
    ]

    @Test(arguments: bad)
    func rejectsABadFileWithItsNameAndFault(bad: Bad) throws {
        let file = folder.appending(path: "\(bad.description).json")
        if let text = bad.text { try Data(text.utf8).write(to: file) }
        try checkRefusal("preset-file", file.path, [file.path] + bad.expected)
    }

    @Test(arguments: bad.filter { $0.text != nil })
    func rejectsABadTextWithItsFault(bad: Bad) throws {
        try checkRefusal("preset-json", bad.text, ["preset-json"] + bad.expected)
    }

    @Test func foldersAndPipesAreRefusedAtOnce() throws {
        try checkRefusal("preset-file", folder.path, [folder.path, "not a file"])
        let pipe = folder.appending(path: "pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        try checkRefusal("preset-file", pipe, [pipe, "not a file"])
        try checkRefusal("preset-file", "/dev/zero", ["/dev/zero", "not a file"])
    }

    @Test func aHugeFileIsRefused() throws {
        let file = folder.appending(path: "huge.json")
        try Data(count: NTSCSettings.largestPreset + 1).write(to: file)
        try checkRefusal("preset-file", file.path, [file.path, "larger than"])
    }

    private func checkRefusal(_ property: String, _ text: String?, _ words: [String]) throws {
        let filter = Filter(["preset-file": Self.good])
        gst_element_set_state(filter.element, GST_STATE_PAUSED)
        let before = filter["preset-json"]
        filter[property] = text
        let messages = filter.messages()
        // The element posts no error, after which applications would stop the stream.
        #expect(messages.map(\.type) == ["warning"])
        for word in words { #expect(messages.first?.text.contains(word) == true, "\(messages)") }
        #expect(filter["preset-json"] == before)
        #expect(filter["preset-file"] == Self.good)

        // The next start fails with an error that has the same text.
        gst_element_set_state(filter.element, GST_STATE_NULL)
        #expect(filter.messages() == [])
        #expect(gst_element_set_state(filter.element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
        let errors = filter.messages()
        #expect(errors.map(\.type) == ["error"] && errors.map(\.text) == messages.map(\.text))

        // The start fails until the property is set to another value.
        filter[property] = property == "preset-file" ? nil : before
        #expect(gst_element_set_state(filter.element, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE)
        #expect(filter.messages() == [])
        #expect(filter["preset-json"] == before)
    }

    @Test(arguments: [("preset-json", "preset-file"), ("preset-file", "preset-json")])
    func aValidPresetClearsTheErrorOfABadOne(bad: String, good: String) throws {
        let filter = Filter([bad: "nonsense"])
        filter[good] = good == "preset-file" ? Self.good : try String(contentsOfFile: Self.good, encoding: .utf8)
        #expect(gst_element_set_state(filter.element, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE)
        #expect(filter.messages() == [])
    }

    @Test func anEmptyPresetTextClearsTheErrorOfABadOne() {
        let filter = Filter(["preset-json": "nonsense"])
        let before = filter["preset-json"]
        filter["preset-json"] = nil
        #expect(gst_element_set_state(filter.element, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE)
        #expect(filter["preset-json"] == before)
    }

    /// A misspelt key has no effect and causes a warning, at once or, if the state is NULL, at the next start.
    @Test(arguments: ["preset-json", "preset-file"], [GST_STATE_NULL, GST_STATE_PAUSED])
    func unknownKeysAreNamedOnceAndIgnored(property: String, state: GstState) throws {
        let text = #"{ "version": 1, "luma_smear": 0.25, "luma_smaer": 0.5, "A \"key\"": [1, { "version": 2 }] }"#
        let file = folder.appending(path: "misspelt.json")
        try Data(text.utf8).write(to: file)
        let filter = Filter()
        gst_element_set_state(filter.element, state)
        filter[property] = property == "preset-file" ? file.path : text
        #expect(filter["luma-smear"] == "0.25")
        if state == GST_STATE_NULL {
            #expect(filter.messages() == [])
            gst_element_set_state(filter.element, GST_STATE_PAUSED)
        }
        let messages = filter.messages()
        #expect(messages.map(\.type) == ["warning"])
        for word in [property == "preset-file" ? file.path : property, #""luma_smaer""#, #""A \"key\"""#] {
            #expect(messages.first?.text.contains(word) == true, "\(messages)")
        }
        gst_element_set_state(filter.element, GST_STATE_NULL)
        gst_element_set_state(filter.element, GST_STATE_PAUSED)
        #expect(filter.messages() == [])
    }

    /// Only the first preset has unknown keys.
    @Test func aLaterPresetClearsTheWarning() throws {
        let filter = Filter(["preset-json": #"{ "version": 1, "nonsense": 1 }"#])
        filter["preset-file"] = Self.good
        gst_element_set_state(filter.element, GST_STATE_PAUSED)
        #expect(filter.messages() == [])
    }

    @Test func presetTextReadFromOneFilterSetsAnother() throws {
        let filter = Filter(["preset-file": Self.good, "random-seed": "-12345", "luma-smear": "0.123456"])
        let json = try #require(filter["preset-json"])
        let other = Filter(["preset-json": json])
        #expect(other["preset-json"] == json)
        for row in SettingRow.all { #expect(other[row.propertyName] == filter[row.propertyName]) }
    }

    @Test func aFileSavedByAnAppLoads() throws {
        let filter = Filter(["vhs-tape-speed": "ep", "snow-intensity": "1.5"])
        let file = folder.appending(path: "saved.json")
        try Data(try #require(filter["preset-json"]).utf8).write(to: file)
        let other = Filter(["preset-file": file.path])
        #expect(other["preset-json"] == filter["preset-json"])
        #expect(other["preset-file"] == file.path)
    }

    @Test func aPresetOfNtscQTLoads() throws {
        let filter = Filter(["preset-json": #"{ "_composite_preemphasis": 1.25, "_emulating_vhs": true }"#])
        #expect(filter["composite-preemphasis"] == "1.25")
        #expect(filter["use-field"]?.isEmpty == false)
        #expect(filter.number("use-field") == Double(UseField.upper.rawValue))
    }

    @Test func changedPropertiesAreNotifiedOnce() throws {
        let filter = Filter()
        let heard = Notifications(of: filter)
        filter["preset-json"] = #"{ "version": 1, "luma_smear": 0.25, "ringing": false }"#
        var expected = Set(["preset-json", "luma-smear", "ringing"])
        // Settings that the preset does not contain get the values of the versions that did not have these settings.
        for row in SettingRow.all where row.legacy != nil && row.legacy != row.value(in: NTSCSettings()) {
            expected.insert(row.propertyName)
        }
        #expect(Set(heard.names) == expected)
        #expect(heard.names.count == expected.count)

        heard.names = []
        filter["preset-file"] = Self.good
        #expect(heard.names.contains("snow-intensity"))
        #expect(heard.names.contains("preset-file"))
        #expect(heard.names.contains("preset-json"))
        #expect(!heard.names.contains("n-threads"))

        heard.names = []
        filter["preset-file"] = "/nowhere"
        #expect(!heard.names.contains("snow-intensity"))
    }

    @Test func aPropertySetAfterAPresetCounts() {
        let filter = Filter(["preset-file": Self.good])
        filter["luma-smear"] = "0.5"
        #expect(filter["preset-json"]?.contains("\"luma_smear\": 0.5,") == true)
        filter["preset-file"] = nil
        #expect(filter["luma-smear"] == "0.5")
    }
}

/// Records the properties for which an element emits a notification.
private final class Notifications {
    var names: [String] = []
    private let filter: Filter
    private var handler: gulong = 0

    init(of filter: Filter) {
        self.filter = filter
        let hear: @convention(c) (gpointer?, UnsafeMutablePointer<GParamSpec>?, gpointer?) -> Void = { _, spec, data in
            guard let spec, let data else { return }
            Unmanaged<Notifications>.fromOpaque(data).takeUnretainedValue()
                .names.append(String(cString: spec.pointee.name))
        }
        handler = g_signal_connect_data(
            filter.object, "notify", unsafeBitCast(hear, to: GCallback.self),
            Unmanaged.passUnretained(self).toOpaque(), nil, GConnectFlags(rawValue: 0))
    }

    deinit { g_signal_handler_disconnect(filter.object, handler) }
}
