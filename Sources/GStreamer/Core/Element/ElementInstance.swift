import CGStreamer

/// The Swift half of a `GstElement`: the element, its settings, and its start and stop.
class ElementInstance<E: Element & ~Copyable>: Instance {
    let host: ElementHost
    let store: PropertyStoreOf<E.Settings>
    // Touched by one thread at a time: the base class serializes what is `mutating`.
    var element: E
    private let view: (any ConcurrentElement)?
    /// Whether the state change starts and stops the element; a base class may do that itself.
    var startsWithState: Bool { true }

    init(_ raw: UnsafeMutableRawPointer, _ type: ObjectType, _ rows: [Property<E.Settings>]) {
        host = ElementHost(raw: raw)
        element = E(host: host)
        view = E.concurrentView(of: element)
        store = PropertyStoreOf(rows, host: ObjectHost(host), report: element.report)
        super.init(type, store)
    }

    final override var concurrent: (any ConcurrentElement)? { view }

    final override func write(_ id: guint, from value: UnsafePointer<GValue>?) -> Bool {
        guard super.write(id, from: value) else { return false }
        if let view { tell(view) }
        return true
    }

    private func tell(_ element: some ConcurrentElement) {
        let (settings, revision) = store.numberedSettings
        // The view is the element, so its settings are these.
        func tell<C: ConcurrentElement>(_ element: C) {
            if let settings = settings as? C.Settings { element.settingsChanged(settings, revision: revision) }
        }
        tell(element)
    }

    final override func start() -> Bool {
        do throws(ElementError) {
            if let failure = store.failure { throw failure }
            store.postWarnings()
            try element.start(LiveSettings(store))
            return true
        } catch {
            host.post(error: error)
            return false
        }
    }

    override func stop() { element.stop() }

    /// Calls the method that takes the caps of the stream; false when it refuses them.
    @inline(__always)
    final func take(_ caps: UnsafeMutablePointer<GstCaps>, _ setCaps: (Caps) throws(FlowResult) -> Void) -> Bool {
        flow { () throws(FlowResult) in try setCaps(Caps(caps)) } == GST_FLOW_OK
    }

    override func changeState(
        _ raw: UnsafeMutablePointer<GstElement>?, _ change: GstStateChange
    ) -> GstStateChangeReturn {
        if startsWithState, change == GST_STATE_CHANGE_READY_TO_PAUSED, !start() { return GST_STATE_CHANGE_FAILURE }
        let result = view?.changeState(StateChange(change)).raw ?? host.parentChangeState(StateChange(change)).raw
        guard startsWithState else { return result }
        // A way down is never refused.
        if change == GST_STATE_CHANGE_PAUSED_TO_READY
            || (change == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE)
        {
            stop()
        }
        return result
    }

    /// Calls a streaming method; what it throws becomes a C result.
    @inline(__always)
    final func flow(_ body: () throws(FlowResult) -> Void) -> GstFlowReturn {
        let result = flowReturn(body)
        if result == GST_FLOW_NOT_NEGOTIATED { bridgeLog.warning(host, "the element does not take this format") }
        return result
    }
}
