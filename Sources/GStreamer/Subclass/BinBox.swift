import CGStreamer

// As with `VideoFilterBox`: C enters through a class that knows no `Element`.

/// What C can ask of an instance of a bin.
class BinBox: ElementBox {
    func sendEvent(_ event: consuming Event) -> Bool { false }
    func chain(_ buffer: consuming Buffer, on pad: Pad) -> FlowResult { .error }
    func sinkEvent(_ event: consuming Event, on pad: Pad) -> FlowResult { .error }
    func sinkQuery(_ query: Query, on pad: Pad) -> Bool { false }
    func sourceEvent(_ event: consuming Event, on pad: Pad) -> Bool { false }
    func start() -> Bool { false }
    func beginStop() {}
    func stop() {}
}

final class BinBoxOf<Element: BinElement>: BinBox {
    private let host: ElementHost
    private let store: PropertyStoreOf<Element.Settings>
    private let element: Element

    init(host: ElementHost, rows: [Property<Element.Settings>]) {
        self.host = host
        element = Element(host: host)
        store = PropertyStoreOf(rows, host: host, report: element.report)
        super.init(properties: store)
    }

    override func write(
        _ id: guint, from value: UnsafePointer<GValue>?, in object: UnsafeMutablePointer<GObject>?,
        _ spec: UnsafeMutablePointer<GParamSpec>?
    ) {
        super.write(id, from: value, in: object, spec)
        let (settings, revision) = store.numberedSettings
        element.settingsChanged(settings, revision: revision)
    }

    override func sendEvent(_ event: consuming Event) -> Bool { element.sendEvent(event) }
    override func chain(_ buffer: consuming Buffer, on pad: Pad) -> FlowResult { element.chain(buffer, on: pad) }
    override func sinkEvent(_ event: consuming Event, on pad: Pad) -> FlowResult { element.sinkEvent(event, on: pad) }
    override func sinkQuery(_ query: Query, on pad: Pad) -> Bool { element.sinkQuery(query, on: pad) }
    override func sourceEvent(_ event: consuming Event, on pad: Pad) -> Bool { element.sourceEvent(event, on: pad) }
    override func beginStop() { element.beginStop() }
    override func stop() { element.stop() }

    override func start() -> Bool {
        do throws(ElementError) {
            if let failure = store.failure { throw failure }
            store.postWarnings()
            try element.start(store.settings)
            return true
        } catch {
            host.post(error: error)
            return false
        }
    }
}
