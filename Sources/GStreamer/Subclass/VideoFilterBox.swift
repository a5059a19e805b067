import CGStreamer

// C function pointers carry no generic parameters, so C enters through a class
// that knows no `Element` and reaches the one that does by an overridden method.

/// What C can ask of an instance of a video filter.
class VideoFilterBox: ElementBox {
    func start() -> Bool { false }
    /// Takes a copy of the settings for the next frame; true when the frame is to go through untouched.
    func frameArrives() -> Bool { false }
    func framePasses() {}
    func configure(_ format: VideoFormat) -> Bool { false }
    func process(_ frame: UnsafeMutablePointer<GstVideoFrame>) -> GstFlowReturn { GST_FLOW_ERROR }
    func stop() {}
}

final class VideoFilterBoxOf<Element: VideoFilterElement & ~Copyable>: VideoFilterBox {
    private let host: ElementHost
    private let store: PropertyStoreOf<Element.Settings>

    // Touched by one thread at a time: GstBaseTransform starts, configures, processes and stops
    // either before and after streaming or under its stream lock.
    private var element: Element
    /// The settings of the frame under way, so that one frame never sees two.
    private var settings: Element.Settings
    private var format: VideoFormat?
    private var hasWarnedOfBadBuffer = false

    init(host: ElementHost, rows: [Property<Element.Settings>]) {
        self.host = host
        element = Element(host: host)
        store = PropertyStoreOf(rows, host: host, report: element.report)
        settings = store.settings
        super.init(properties: store)
    }

    override func start() -> Bool {
        if let failure = store.failure {
            host.post(error: failure)
            return false
        }
        store.postWarnings()
        do throws(ElementError) {
            try element.start(store.settings)
            return true
        } catch {
            host.post(error: error)
            return false
        }
    }

    override func frameArrives() -> Bool {
        settings = store.settings
        return Element.isPassthrough(settings)
    }

    override func framePasses() { element.framePasses() }

    override func configure(_ format: VideoFormat) -> Bool {
        self.format = nil
        hasWarnedOfBadBuffer = false
        do throws(FlowError) {
            try element.configure(format, store.settings)
            self.format = format
            return true
        } catch {
            tell(error)
            return false
        }
    }

    override func process(_ raw: UnsafeMutablePointer<GstVideoFrame>) -> GstFlowReturn {
        guard let format else { return GST_FLOW_NOT_NEGOTIATED }
        guard let frame = VideoFrame(raw, format: format) else {
            warnOfBadBuffer()
            return GST_FLOW_OK
        }
        do throws(FlowError) {
            try element.process(frame, settings)
            return GST_FLOW_OK
        } catch {
            tell(error)
            return error.code
        }
    }

    override func stop() {
        element.stop()
        format = nil
    }

    private func tell(_ error: FlowError) {
        if case .failed(let error) = error { host.post(error: error) }
        if error == .notNegotiated { bridgeLog.warning(host, "the element does not take this format") }
    }

    /// Says once per format what GstVideoFilter says of a buffer it cannot map; the frame goes on unchanged.
    private func warnOfBadBuffer() {
        guard !hasWarnedOfBadBuffer else { return }
        hasWarnedOfBadBuffer = true
        host.post(
            warning: .stream(
                .format, "A video frame is smaller than its description says; it is passed on unchanged.",
                debug: "The strides and offsets of its GstVideoMeta reach beyond its memory. "
                    + "The element that made the buffer is at fault."))
    }
}
