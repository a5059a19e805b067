import CGStreamer

// As with video filters: C enters through a class that knows no `Element`.

/// What C can ask of an instance of a transform.
class TransformBox: ElementBox {
    func start() -> Bool { false }
    func configure(_ caps: UnsafeMutablePointer<GstCaps>) -> Bool { false }
    func allocationAsked(_ query: UnsafeMutablePointer<GstQuery>) -> Bool { false }
    /// Gives back the frame that goes on, or nil and why none does; owns the frame it is given.
    func process(_ frame: UnsafeMutablePointer<GstBuffer>) -> (GstFlowReturn, UnsafeMutablePointer<GstBuffer>?) {
        (GST_FLOW_OK, frame)
    }
    func stop() {}
    func flush(_ isFlushing: Bool) {}
}

final class TransformBoxOf<Element: TransformElement & ~Copyable>: TransformBox {
    private let host: ElementHost
    private let store: PropertyStoreOf<Element.Settings>
    private let report: Element.Settings.Report
    // Touched by one thread at a time: see `TransformElement`.
    private var element: Element

    init(host: ElementHost, rows: [Property<Element.Settings>]) {
        self.host = host
        element = Element(host: host)
        report = element.report
        store = PropertyStoreOf(rows, host: host, report: report)
        super.init(properties: store)
    }

    override func start() -> Bool {
        if let failure = store.failure {
            host.post(error: failure)
            return false
        }
        store.postWarnings()
        do throws(ElementError) {
            try element.start(LiveSettings(store))
            return true
        } catch {
            host.post(error: error)
            return false
        }
    }

    override func configure(_ caps: UnsafeMutablePointer<GstCaps>) -> Bool {
        do throws(FlowError) {
            try element.configure(Caps(caps))
            return true
        } catch {
            tell(error)
            return false
        }
    }

    override func allocationAsked(_ query: UnsafeMutablePointer<GstQuery>) -> Bool {
        guard let query = AllocationQuery(query) else { return false }
        return element.allocationAsked(query)
    }

    override func process(
        _ raw: UnsafeMutablePointer<GstBuffer>
    ) -> (GstFlowReturn, UnsafeMutablePointer<GstBuffer>?) {
        do throws(FlowError) {
            switch try element.process(PassingBuffer(raw: raw)) {
            case .pass:
                return (GST_FLOW_OK, raw)
            case .drop:
                gst_buffer_unref(raw)
                return (cgst_flow_dropped(), nil)
            case .replace(let other):
                gst_buffer_unref(raw)
                return (GST_FLOW_OK, other.give())
            }
        } catch {
            gst_buffer_unref(raw)
            tell(error)
            return (error.code, nil)
        }
    }

    override func stop() { element.stop() }

    override func flush(_ isFlushing: Bool) { Element.flush(isFlushing, report) }

    private func tell(_ error: FlowError) {
        if case .failed(let error) = error { host.post(error: error) }
    }
}
