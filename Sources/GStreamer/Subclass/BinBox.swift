import CGStreamer

// As with `VideoFilterBox`: C enters through a class that knows no `Element`.

/// What C can ask of an instance of a bin.
class BinBox: ElementBox {
    let stream: ShapedStream

    init(stream: ShapedStream, properties: PropertyStore) {
        self.stream = stream
        super.init(properties: properties)
    }

    func shapes(for picture: StreamPicture, isNew: Bool) -> [StreamPicture] { [] }
    func shaped(_ input: StreamPicture, into output: StreamPicture) {}
    func nearest(to shape: StreamPicture, of offers: [StreamOffer], from input: StreamPicture) -> StreamPicture? { nil }
    func verdict(onFrameAt time: UInt64?) -> FrameVerdict { .pass }
    func timeRestarted() {}
    func choose(from offers: [StreamOffer], now: StreamPicture) -> Bool { false }
    func wish() -> StreamWish? { nil }
    func heard(_ event: CustomEvent) -> Bool { false }
    func start() -> Bool { false }
    func beginStop() {}
    func stop() {}

    /// Whether `event` was one for this element.
    func hears(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        guard event.pointee.type == GST_EVENT_CUSTOM_UPSTREAM, let structure = gst_event_get_structure(event) else {
            return false
        }
        return heard(CustomEvent(structure))
    }

    /// Answers upstream, which asks what it may send: anything, but what is wished for first.
    func answerUpstream(
        _ query: UnsafeMutablePointer<GstQuery>, _ pad: UnsafeMutablePointer<GstPad>?,
        _ parent: UnsafeMutablePointer<GstObject>?
    ) -> gboolean {
        guard gst_pad_query_default(pad, parent, query) != 0 else { return 0 }
        var (answer, filter): (UnsafeMutablePointer<GstCaps>?, UnsafeMutablePointer<GstCaps>?)
        gst_query_parse_caps_result(query, &answer)
        gst_query_parse_caps(query, &filter)
        guard let answer, gst_caps_is_empty(answer) == 0, gst_caps_is_any(answer) == 0 else { return 1 }
        guard let caps = wish()?.makeCaps() else { return 1 }
        defer { gst_caps_unref(caps) }
        guard var best = gst_caps_intersect_full(answer, caps, GST_CAPS_INTERSECT_FIRST) else { return 1 }
        defer { gst_caps_unref(best) }
        guard gst_caps_is_empty(best) == 0 else { return 1 }
        // Who says what it can do is held to it; who does not hears the rest as well.
        if filter == nil { best = gst_caps_merge(best, gst_caps_ref(answer)) }
        gst_query_set_caps_result(query, best)
        return 1
    }
}

final class BinBoxOf<Element: BinElement>: BinBox {
    private let host: ElementHost
    private let store: PropertyStoreOf<Element.Settings>
    private let element: Element

    init(host: ElementHost, stream: ShapedStream, rows: [Property<Element.Settings>]) {
        self.host = host
        element = Element(host: host, stream: stream)
        store = PropertyStoreOf(rows, host: host, report: element.report)
        super.init(stream: stream, properties: store)
    }

    override func write(
        _ id: guint, from value: UnsafePointer<GValue>?, in object: UnsafeMutablePointer<GObject>?,
        _ spec: UnsafeMutablePointer<GParamSpec>?
    ) {
        super.write(id, from: value, in: object, spec)
        let (settings, revision) = store.numberedSettings
        element.settingsChanged(settings, revision: revision)
    }

    override func shapes(for picture: StreamPicture, isNew: Bool) -> [StreamPicture] {
        element.shapes(for: picture, isNew: isNew)
    }
    override func shaped(_ input: StreamPicture, into output: StreamPicture) { element.shaped(input, into: output) }
    override func nearest(
        to shape: StreamPicture, of offers: [StreamOffer], from input: StreamPicture
    ) -> StreamPicture? {
        element.nearest(to: shape, of: offers, from: input)
    }
    override func verdict(onFrameAt time: UInt64?) -> FrameVerdict { element.verdict(onFrameAt: time) }
    override func timeRestarted() { element.timeRestarted() }
    override func choose(from offers: [StreamOffer], now: StreamPicture) -> Bool {
        element.choose(from: offers, now: now)
    }
    override func wish() -> StreamWish? { element.wish() }
    override func heard(_ event: CustomEvent) -> Bool { element.heard(event) }
    override func beginStop() { element.beginStop() }
    override func stop() { element.stop() }

    override func start() -> Bool {
        do throws(ElementError) {
            if let failure = store.failure { throw failure }
            store.postWarnings()
            try requireScaler()
            try element.start(store.settings)
            return true
        } catch {
            host.post(error: error)
            return false
        }
    }

    private func requireScaler() throws(ElementError) {
        guard stream.scaler == nil, let wanted = Element.scalers.first else { return }
        // What applications that install missing plugins listen for; see gst_missing_element_message_new.
        host.post(
            Structure(
                "missing-plugin",
                [
                    "type": .string("element"), "detail": .string(wanted),
                    "name": .string("GStreamer element \(wanted)"),
                ]))
        throw .core(
            .missingPlugin, "The element \"\(wanted)\" is missing, and \(Element.factoryName) cannot do without it.",
            debug: "Install GStreamer's base plugins: on Debian, gstreamer1.0-plugins-base.")
    }
}
