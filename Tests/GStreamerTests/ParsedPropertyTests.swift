import CGStreamer
import GStreamer
import GstTestSupport
import Synchronization
import Testing

@Suite struct ParsedPropertyTests {
    private let noRecipe = PostedMessage(
        type: "error", text: "\"soup\" is no recipe", debug: "Write it as 0.5/7.",
        code: Int32(GST_RESOURCE_ERROR_SETTINGS.rawValue))

    @Test func parsedPropertyNotifiesAllChangedProperties() {
        let subject = Subject()
        let notified = Notifications(of: subject)
        subject.set(string: "recipe", "0.5/7")
        #expect(subject.get("gain") == "0.5")
        #expect(subject.get("int32") == "7")
        #expect(notified.names.sorted() == ["echo", "gain", "int32", "recipe"])
    }

    @Test func invalidValueDoesNotChangeSettings() {
        let subject = Subject()
        subject.set(string: "recipe", "0.5/7")
        subject.set(string: "recipe", "soup")
        #expect(subject.get("recipe") == "0.5/7")
        #expect(subject.get("gain") == "0.5")
    }

    @Test func invalidValueBeforeStartPostsErrorAtStart() {
        let subject = Subject()
        subject.set(string: "recipe", "soup")
        #expect(subject.messages() == [])
        #expect(gst_element_set_state(subject.element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
        #expect(subject.messages() == [noRecipe])
    }

    @Test func validValueClearsEarlierError() {
        let subject = Subject()
        subject.set(string: "recipe", "soup")
        subject.set(string: "recipe", "1/1")
        #expect(gst_element_set_state(subject.element, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE)
        #expect(subject.messages() == [])
    }

    /// The element posts a warning, because the stream continues, and applications stop a stream after an error.
    @Test func invalidValueInPausedWarnsAndFailsNextStart() {
        let subject = Subject()
        gst_element_set_state(subject.element, GST_STATE_PAUSED)
        subject.set(string: "recipe", "soup")
        var warning = noRecipe
        warning.type = "warning"
        #expect(subject.messages() == [warning])
        gst_element_set_state(subject.element, GST_STATE_READY)
        #expect(gst_element_set_state(subject.element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
        #expect(subject.messages() == [noRecipe])
    }
}

/// Records the names of notified properties in the order of the notifications.
private final class Notifications {
    private let subject: TestElement
    private let seen = Seen()
    private let handler: gulong
    var names: [String] { seen.names.withLock { $0 } }

    final class Seen: Sendable {
        let names = Mutex<[String]>([])
    }

    init(of subject: TestElement) {
        self.subject = subject
        let callback: @convention(c) (gpointer, UnsafeMutablePointer<GParamSpec>, gpointer) -> Void = { _, spec, data in
            let seen = Unmanaged<Seen>.fromOpaque(data).takeUnretainedValue()
            seen.names.withLock { $0.append(String(cString: spec.pointee.name)) }
        }
        handler = g_signal_connect_data(
            subject.element, "notify", unsafeBitCast(callback, to: GCallback.self),
            Unmanaged.passUnretained(seen).toOpaque(), nil, GConnectFlags(rawValue: 0))
    }

    deinit { g_signal_handler_disconnect(subject.element, handler) }
}
