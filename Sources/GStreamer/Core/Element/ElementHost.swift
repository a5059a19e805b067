import CGStreamer

/// The C instance of an element, which owns the Swift object and outlives it.
///
/// It may be used on any thread. It holds no reference: a thread that uses it must end before the element is stopped;
/// see `WeakHost`. The corresponding C type is `GstElement`.
public struct ElementHost: @unchecked Sendable {  // Only calls that GStreamer documents as MT safe go through it.
    let raw: UnsafeMutableRawPointer

    var element: UnsafeMutablePointer<GstElement> { raw.assumingMemoryBound(to: GstElement.self) }
    var object: UnsafeMutablePointer<GObject> { raw.assumingMemoryBound(to: GObject.self) }

    /// The host of any `GstElement`, which must outlive it.
    public init(unsafe raw: UnsafeMutableRawPointer) { self.raw = raw }

    init(raw: UnsafeMutableRawPointer) { self.raw = raw }

    /// Address of the element, for comparison only.
    public var identity: UInt { UInt(bitPattern: raw) }

    /// The name of this instance in its pipeline, such as `ntscfilter0`.
    public var name: String {
        guard let name = gst_object_get_name(raw.assumingMemoryBound(to: GstObject.self)) else { return "" }
        defer { g_free(name) }
        return String(cString: name)
    }

    /// Posts an error message: the element cannot continue.
    public func post(error: ElementError) { post(error, as: GST_MESSAGE_ERROR) }

    /// Posts a warning message: there is a problem, and the element continues.
    public func post(warning: ElementError) { post(warning, as: GST_MESSAGE_WARNING) }

    /// Posts an info message.
    public func post(info: ElementError) { post(info, as: GST_MESSAGE_INFO) }

    /// Posts the error and returns `FlowResult.error`, for a streaming method to throw.
    ///
    ///     guard let memory else { throw host.fail(.resource(.noSpaceLeft, "There is no memory for a frame.")) }
    public func fail(_ error: ElementError) -> FlowResult {
        post(error: error)
        return .error
    }

    /// Posts an element message with `message` as its structure.
    ///
    /// The corresponding C function is `gst_message_new_element`.
    public func post(_ message: Structure) {
        guard let structure = message.makeRaw() else {
            return bridgeLog.warning(self, "\"\(message.name)\" cannot be the name of a message")
        }
        // The message takes ownership of the structure, and the bus takes ownership of the message.
        gst_element_post_message(
            element, gst_message_new_element(raw.assumingMemoryBound(to: GstObject.self), structure))
    }

    /// Marks the source pads for renegotiation of caps and allocation before the next buffer.
    ///
    /// The corresponding C function is `gst_pad_mark_reconfigure`.
    public func requestReconfigure() {
        let mark: GstElementForeachPadFunc = { _, pad, _ in
            gst_pad_mark_reconfigure(pad)
            return 1
        }
        gst_element_foreach_src_pad(element, mark, nil)
    }

    /// Emits a signal of the element on this thread, with arguments of the kinds that it declares.
    ///
    /// Handlers may call any function, so do not hold a lock. Returns the result of the handlers; nil if the signal has
    /// no result or no handler returned one. The corresponding C function is `g_signal_emitv`.
    @discardableResult
    public func emit(_ signal: Signal, _ arguments: Structure.Value...) -> Structure.Value? {
        signal.emit(from: raw, arguments)
    }

    /// Emits a signal without arguments; does not allocate.
    public func emit(_ signal: Signal) { signal.emit(from: raw, []) }

    /// Calls `body` with the C instance, a `GstElement`.
    public func withUnsafePointer<R>(_ body: (UnsafeMutableRawPointer) throws -> R) rethrows -> R { try body(raw) }

    /// Posts an error message because the stream has stopped: downstream returned `flow`.
    ///
    /// The corresponding C macro is `GST_ELEMENT_FLOW_ERROR`.
    public func post(flowError flow: FlowResult) { cgst_element_flow_error(element, flow.raw) }

    /// Posts a QOS message with the numbers of processed and dropped buffers.
    ///
    /// The corresponding C function is `gst_message_new_qos`.
    public func postQualityOfService(isLive: Bool, processed: UInt64, dropped: UInt64) {
        guard
            let message = gst_message_new_qos(
                raw.assumingMemoryBound(to: GstObject.self), isLive ? 1 : 0, .max, .max, .max, .max)
        else { return }
        gst_message_set_qos_stats(message, GST_FORMAT_BUFFERS, guint64(processed), guint64(dropped))
        gst_element_post_message(element, message)
    }

    /// Posts a LATENCY message, so that the application recalculates the latency of the pipeline.
    ///
    /// The corresponding C function is `gst_message_new_latency`.
    public func postLatencyChanged() {
        guard let message = gst_message_new_latency(raw.assumingMemoryBound(to: GstObject.self)) else { return }
        gst_element_post_message(element, message)
    }

    /// The running time of the pipeline; nil without a clock, as before PLAYING.
    ///
    /// The corresponding C function is `gst_element_get_current_running_time`.
    public var runningTime: Duration? { Duration(gst_element_get_current_running_time(element)) }

    /// Emits `notify` for a property whose value has changed without a call of the application.
    ///
    /// Handlers may call any function, so do not hold a lock. The corresponding C function is `g_object_notify`.
    public func notify(_ property: String) { g_object_notify(object, property) }

    /// Whether the element is in PAUSED or PLAYING, or changes to one of these states.
    var isActive: Bool { cgst_element_is_active(element) != 0 }

    private func post(_ error: ElementError, as type: GstMessageType) {
        let (domain, code) = error.kind.domainAndCode
        // The function takes ownership of the two texts and copies the other strings.
        gst_element_message_full(
            element, type, domain, code, g_strdup(error.text), error.debug.flatMap { g_strdup($0) },
            "\(error.file)", "", gint(truncatingIfNeeded: error.line))
    }
}

/// The debug category of the bridge: `GST_DEBUG=swiftbridge:5`.
let bridgeLog = DebugCategory("swiftbridge", "Elements written in Swift")
