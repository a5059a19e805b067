import CGStreamer
import GstTestSupport
import Testing

@testable import GStreamer

extension ElementHost {
    static func of(_ subject: TestElement) -> ElementHost { ElementHost(unsafe: subject.element) }
}

@Suite struct ElementHostTests {
    @Test func warningAndInfoArePostedOnBus() {
        let subject = Subject()
        let host = ElementHost.of(subject)
        host.post(warning: .settings("odd", debug: "really"))
        host.post(info: .core(.clock, "late"))
        #expect(subject.messages().map(\.type) == ["warning", "info"])
    }

    @Test func hostNameEqualsElementName() {
        let subject = Subject()
        #expect(ElementHost.of(subject).name == subject.name)
    }

    @Test func reconfigureWithSameFormatDoesNotConfigureAgain() throws {
        let harness = makeHarness()
        #expect(harness.firstByteAfterPassing() == 63)
        ElementHost.of(harness.subject).requestReconfigure()
        let source = try #require(gst_element_get_static_pad(harness.subject.element, "src"))
        defer { gst_object_unref(source) }
        #expect(gst_pad_needs_reconfigure(source) != 0)
        #expect(harness.firstByteAfterPassing() == 63)
        #expect(gst_pad_needs_reconfigure(source) == 0)
        #expect(harness.subject.get("configured") == "1")
    }

    @Test func finalizeReleasesSwiftElement() {
        _ = TestElements.once
        #expect(CountedFilter.alive.load(ordering: .relaxed) == 0)
        do {
            let subjects = (0..<3).map { _ in Subject(CountedFilter.factoryName) }
            withExtendedLifetime(subjects) { #expect(CountedFilter.alive.load(ordering: .relaxed) == 3) }
        }
        #expect(CountedFilter.alive.load(ordering: .relaxed) == 0)
    }

    @Test func elementCanBeRegisteredTwice() {
        _ = TestElements.once
        #expect(register(EveryKindFilter.self, in: .none))
    }

    @Test func registrationWithTypeNameInUseFails() {
        _ = TestElements.once
        #expect(!register(ImpostorFilter.self, in: .none))
    }

    @Test func logMessagesAreFormattedOnlyIfLevelIsEnabled() {
        _ = TestElements.once
        let log = DebugCategory("swifttestlog", "For tests")
        var built = 0
        func message() -> String {
            built += 1
            return "heard"
        }
        log.trace(nil, message())
        #expect(built == 0)
        gst_debug_set_threshold_for_name("swifttestlog", GST_LEVEL_TRACE)
        log.trace(nil, message())
        #expect(built == 1)
        gst_debug_unset_threshold_for_name("swifttestlog")
    }
}

/// A filter with a type name that GStreamer uses for another class.
private struct ImpostorFilter: VideoFilter, ~Copyable {
    static let factoryName = "swifttestimpostor"
    static let typeName = "GstBin"
    static let metadata = ElementMetadata("", classification: "", description: "", author: "")
    static let padTemplates: [PadTemplate] = []

    struct Settings: ElementSettings {
        static let properties: [Property<Self>] = []
    }

    let host: ElementHost

    init(host: ElementHost) { self.host = host }
    mutating func configure(_ format: VideoFormat, _ settings: Settings) throws(FlowResult) {}
    mutating func process(_ frame: borrowing VideoFrame, _ settings: Settings) throws(FlowResult) {}
}
