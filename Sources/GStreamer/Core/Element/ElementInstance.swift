import CGStreamer

/// The Swift object of a `GstElement`; it owns the element and its settings, and starts and stops the element.
class ElementInstance<E: Element & ~Copyable>: Instance {
    let host: ElementHost
    let store: PropertyStoreOf<E.Settings>
    // Accessed by one thread at a time, because the base class serializes the `mutating` methods.
    var element: E
    private let view: (any ConcurrentElement)?
    /// Whether `changeState` calls `start` and `stop`; false if the C base class calls them.
    var startsWithState: Bool { true }

    init(_ raw: UnsafeMutableRawPointer, _ type: ObjectType, _ rows: [Property<E.Settings>]) {
        host = ElementHost(unsafe: raw.assumingMemoryBound(to: GstElement.self))
        element = E(host: host)
        view = E.concurrentView(of: element)
        store = PropertyStoreOf(rows, host: ObjectHost(host), report: element.report)
        super.init(type, store)
    }

    final override var concurrent: (any ConcurrentElement)? { view }

    final override func write(_ id: guint, from value: UnsafePointer<GValue>?) -> Bool {
        guard super.write(id, from: value) else { return false }
        if let view { notifySettings(view) }
        return true
    }

    private func notifySettings(_ element: some ConcurrentElement) {
        let (settings, revision) = store.numberedSettings
        // `view` is the element itself, so the cast succeeds.
        func notify<C: ConcurrentElement>(_ element: C) {
            if let settings = settings as? C.Settings { element.settingsChanged(settings, revision: revision) }
        }
        notify(element)
    }

    override func start() -> Bool {
        ElementStart.announce()
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

    override func changeState(_ change: GstStateChange) -> GstStateChangeReturn {
        if startsWithState, change == GST_STATE_CHANGE_READY_TO_PAUSED, !start() { return GST_STATE_CHANGE_FAILURE }
        let result = view?.changeState(StateChange(change)).raw ?? host.parentChangeState(StateChange(change)).raw
        guard startsWithState else { return result }
        // `stop` follows each change to READY, which cannot fail, and each failed change to PAUSED.
        if change == GST_STATE_CHANGE_PAUSED_TO_READY
            || (change == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE)
        {
            stop()
        }
        return result
    }

    /// Calls a streaming method; returns the result that it throws, or OK.
    @inline(__always)
    final func flow(_ body: () throws(FlowResult) -> Void) -> GstFlowReturn {
        let result = flowReturn(body)
        if result == GST_FLOW_NOT_NEGOTIATED { bridgeLog.warning(host, "the element does not accept these caps") }
        return result
    }

    /// Calls a streaming method; returns false if it throws.
    @inline(__always)
    final func succeeds(_ body: () throws(FlowResult) -> Void) -> Bool { flow(body) == GST_FLOW_OK }

    /// Calls a streaming method that returns a buffer; a nil buffer results in `GST_BASE_TRANSFORM_FLOW_DROPPED`.
    @inline(__always)
    final func flow(_ body: () throws(FlowResult) -> Buffer?) -> (GstFlowReturn, RawBuffer?) {
        var output: RawBuffer?
        let result = flow { () throws(FlowResult) in output = try body()?.give() }
        return (result == GST_FLOW_OK && output == nil ? cgst_flow_dropped() : result, output)
    }
}
