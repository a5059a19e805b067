import CGStreamer

// As with `VideoFilterBox`: C enters through a class that knows no `Element`.

/// What C can ask of an instance of an element with pads.
class PadBox: ElementBox {
    func receive(_ buffer: consuming Buffer) -> FlowResult { .error }
    func receive(_ list: consuming BufferList) -> FlowResult { .error }
    func receive(_ event: consuming Event) -> FlowResult { .error }
    func answerUpstream(_ query: Query) -> Bool { false }
    func activateSink(_ isActive: Bool) -> Bool { false }
    func receiveFromDownstream(_ event: consuming Event) -> Bool { false }
    func answerDownstream(_ query: Query) -> Bool { false }
    func activateSource(_ isActive: Bool) -> Bool { false }
    func runTask() {}
    func threadChanged(hasEntered: Bool) {}
    func start() -> Bool { false }
    func stop() {}
    func playingChanged(_ isPlaying: Bool) {}
}

final class PadBoxOf<Element: PadElement>: PadBox {
    private let host: ElementHost
    private let store: PropertyStoreOf<Element.Settings>
    private let element: Element

    init(host: ElementHost, sink: Pad, source: Pad, rows: [Property<Element.Settings>]) {
        self.host = host
        element = Element(host: host, sink: sink, source: source)
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

    override func receive(_ buffer: consuming Buffer) -> FlowResult { element.receive(buffer) }
    override func receive(_ list: consuming BufferList) -> FlowResult { element.receive(list) }
    override func receive(_ event: consuming Event) -> FlowResult { element.receive(event) }
    override func answerUpstream(_ query: Query) -> Bool { element.answerUpstream(query) }
    override func activateSink(_ isActive: Bool) -> Bool { element.activateSink(isActive) }
    override func receiveFromDownstream(_ event: consuming Event) -> Bool { element.receiveFromDownstream(event) }
    override func answerDownstream(_ query: Query) -> Bool { element.answerDownstream(query) }
    override func activateSource(_ isActive: Bool) -> Bool { element.activateSource(isActive) }
    override func runTask() { element.runTask() }
    override func stop() { element.stop() }
    override func playingChanged(_ isPlaying: Bool) { element.playingChanged(isPlaying) }

    override func threadChanged(hasEntered: Bool) {
        hasEntered ? element.taskThreadEntered() : element.taskThreadLeft()
    }

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
