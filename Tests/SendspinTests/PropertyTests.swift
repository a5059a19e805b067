import CGStreamer
import GstTestSupport
import SendspinSupport
import Testing

/// Tests properties of the elements, and the URI scheme `sendspin`.
@Suite struct SendspinPropertyTests {
    init() { _ = SendspinSetup.once }

    @Test(
        arguments: [
            ("uri", nil), ("listen-address", nil), ("client-name", nil), ("storage-folder", nil),
            ("buffer-capacity", "4194304"), ("codecs", "flac,opus,pcm"), ("output-delay", "0"),
            ("allow-unencrypted", "false"), ("unpaired-access", "until-paired"), ("eos-on-stream-end", "false"),
            ("pairing-code", "none"), ("color", "false"), ("visualizer", nil), ("visualizer-rate", "30"),
            ("visualizer-bands", "16"),
            ("connected", "false"), ("server-name", nil),
            ("volume", "100"), ("mute", "false"),
        ] as [(String, String?)]) func defaultsOfTheSource(name: String, text: String?)
    {
        #expect(TestElement("sendspinsrc")[name] == text)
    }

    @Test(
        arguments: [
            ("uri", nil), ("codecs", "flac,opus,pcm"), ("audio-sink", "autoaudiosink"), ("idle-timeout", "10000000000"),
            ("volume", "1"), ("mute", "false"), ("volume-curve", "1.5"), ("output-delay", "0"),
            ("allow-unencrypted", "false"), ("unpaired-access", "until-paired"),
            ("color", "false"), ("visualizer", nil), ("visualizer-rate", "30"), ("visualizer-bands", "16"),
            ("pairing-code", "none"),
        ] as [(String, String?)]) func defaultsOfThePlayer(name: String, text: String?)
    {
        #expect(TestElement("sendspinplay")[name] == text)
    }

    @Test(
        arguments: [
            ("uri", nil), ("listen-address", nil), ("client-name", nil), ("storage-folder", nil),
            ("unpaired-access", "until-paired"), ("pairing-code", "none"), ("line-sense", "false"),
            ("line-sense-level", "-50"),
            ("line-sense-hold", "10000000000"), ("connected", "false"), ("server-name", nil), ("sync", "true"),
        ] as [(String, String?)]) func defaultsOfTheSink(name: String, text: String?)
    {
        #expect(TestElement("sendspinsink")[name] == text)
    }

    @Test(arguments: [
        ("uri", "http://host"), ("uri", "sendspin://"), ("uri", "sendspin://host:port"), ("uri", "sendspin://:8927"),
        ("uri", "sendspin://host:99999"), ("uri", "sendspin://[::1"), ("listen-address", ":1"),
        ("listen-address", "host:x"), ("codecs", "opus"), ("codecs", "mp3"), ("codecs", ""), ("visualizer", "treble"),
        ("visualizer", "beat,beat"),
    ]) func badValueIsAnErrorThatNamesIt(name: String, text: String) {
        for factory in ["sendspinsrc", "sendspinplay", "sendspinsink"]
        where factory != "sendspinsink" || !["codecs", "visualizer"].contains(name) {
            let element = TestElement(factory, factory == "sendspinplay" ? ["audio-sink": "fakesink"] : [:])
            element["storage-folder"] = Setup.newFolder().path
            element[name] = text
            #expect(gst_element_set_state(element.element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE, "\(factory)")
            let errors = element.messages().filter { $0.type == "error" }
            // GstBaseSrc also posts a general error, after the error of the player.
            #expect(errors.dropFirst().allSatisfy { $0.text.hasPrefix("GStreamer error: state change failed") })
            #expect(errors.first?.text.contains("\"\(text)\"") == true, "\(factory): \(errors)")
        }
    }

    @Test(arguments: ["sendspin://host", "sendspin://host:1234/path", "sendspin://[::1]:8927/sendspin"])
    func elementIsMadeFromItsURI(uri: String) {
        #expect(gst_uri_is_valid(uri) != 0)
        #expect(gst_uri_protocol_is_supported(GST_URI_SRC, "sendspin") != 0)
        let element = gst_element_make_from_uri(GST_URI_SRC, uri, nil, nil)
        #expect(element != nil)
        guard let element else { return }
        gst_object_ref_sink(element)
        defer { gst_object_unref(element) }
        #expect(
            String(
                cString: g_type_name_from_instance(
                    UnsafeMutableRawPointer(element).assumingMemoryBound(to: GTypeInstance.self))) == "GstSendspinSrc")
        element.withValue(of: "uri") {
            g_object_get_property(element.object, "uri", $0)
            #expect(g_value_get_string($0).map { String(cString: $0) } == uri)
        }
    }

    @Test func badURIIsAnErrorOfTheHandler() {
        var error: UnsafeMutablePointer<GError>?
        #expect(gst_element_make_from_uri(GST_URI_SRC, "sendspin://host:port", nil, &error) == nil)
        #expect(error.map { String(cString: $0.pointee.message) }?.contains("sendspin://host:port") == true)
        g_clear_error(&error)
    }

    @Test func sinkThatDoesNotExistIsOneErrorThatNamesIt() {
        for description in ["nosuchsink", "fakesink nosuch=1", "videotestsrc"] {
            let element = TestElement("sendspinplay", ["storage-folder": Setup.newFolder().path])
            element["audio-sink"] = description
            #expect(gst_element_set_state(element.element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
            let errors = element.messages().filter { $0.type == "error" }
            #expect(errors.count == 1)
            #expect(errors.first?.text.contains("\"\(description)\"") == true, "\(errors)")
        }
    }
}
