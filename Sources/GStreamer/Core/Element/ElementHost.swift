import CGStreamer

/// The C instance an element lives in; it owns the element, so it outlives it.
///
/// May be used from any thread: GstObject guards its name and GstBus its queue. A thread that holds a host must have
/// ended when the element is stopped. The corresponding C type is `GstElement`.
public struct ElementHost: @unchecked Sendable {  // Only calls that GStreamer documents as MT safe go through it.
    let raw: UnsafeMutableRawPointer

    var element: UnsafeMutablePointer<GstElement> { raw.assumingMemoryBound(to: GstElement.self) }
    var object: UnsafeMutablePointer<GObject> { raw.assumingMemoryBound(to: GObject.self) }

    /// The host of any `GstElement`, which must outlive it.
    public init(unsafe raw: UnsafeMutableRawPointer) { self.raw = raw }

    init(raw: UnsafeMutableRawPointer) { self.raw = raw }

    /// The name of this instance in its pipeline, such as `ntscfilter0`.
    public var name: String {
        guard let name = gst_object_get_name(raw.assumingMemoryBound(to: GstObject.self)) else { return "" }
        defer { g_free(name) }
        return String(cString: name)
    }

    /// Tells the application that the element cannot go on.
    public func post(error: ElementError) { post(error, as: GST_MESSAGE_ERROR) }

    /// Tells the application about something wrong that the element survives.
    public func post(warning: ElementError) { post(warning, as: GST_MESSAGE_WARNING) }

    /// Tells the application something worth knowing.
    public func post(info: ElementError) { post(info, as: GST_MESSAGE_INFO) }

    /// Posts the error and returns `FlowResult.error`, for a streaming method to throw.
    ///
    ///     guard let memory else { throw host.fail(.resource(.noSpaceLeft, "There is no memory for a frame.")) }
    public func fail(_ error: ElementError) -> FlowResult {
        post(error: error)
        return .error
    }

    /// Posts an element message: facts for the application, named and typed.
    ///
    /// The corresponding C function is `gst_message_new_element`.
    public func post(_ message: Structure) {
        guard let structure = message.makeRaw() else {
            return bridgeLog.warning(self, "\"\(message.name)\" cannot be the name of a message")
        }
        // The message takes the structure, the bus takes the message.
        gst_element_post_message(
            element, gst_message_new_element(raw.assumingMemoryBound(to: GstObject.self), structure))
    }

    /// Asks for the format and the buffers downstream to be agreed anew before the next buffer.
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
    /// Handlers may do anything, so hold no lock. Returns what a handler returned; nil when the signal has no result or
    /// no handler returned one. The corresponding C function is `g_signal_emitv`.
    @discardableResult
    public func emit(_ signal: Signal, _ arguments: Structure.Value...) -> Structure.Value? {
        signal.emit(from: raw, arguments)
    }

    /// Emits a signal without arguments; takes no memory.
    public func emit(_ signal: Signal) { signal.emit(from: raw, []) }

    /// Gives the C instance, a `GstElement`, for one call.
    public func withUnsafePointer<R>(_ body: (UnsafeMutableRawPointer) throws -> R) rethrows -> R { try body(raw) }

    /// Tells the application, as core elements do, that the stream ends because downstream said `flow`.
    ///
    /// The corresponding C macro is `GST_ELEMENT_FLOW_ERROR`.
    public func post(flowError flow: FlowResult) { cgst_element_flow_error(element, flow.raw) }

    /// Tells the application how many frames went through and how many did not.
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

    /// Has the application ask for the pipeline's latency anew, and share it out.
    ///
    /// The corresponding C function is `gst_message_new_latency`.
    public func postLatencyChanged() {
        guard let message = gst_message_new_latency(raw.assumingMemoryBound(to: GstObject.self)) else { return }
        gst_element_post_message(element, message)
    }

    /// The pipeline's running time; nil without a clock, as before PLAYING.
    ///
    /// The corresponding C function is `gst_element_get_current_running_time`.
    public var runningTime: Duration? { Duration(gst_element_get_current_running_time(element)) }

    /// Whether the element is in PAUSED or PLAYING, or on the way there.
    var isActive: Bool { cgst_element_is_active(element) != 0 }

    private func post(_ error: ElementError, as type: GstMessageType) {
        let (domain, code) = error.kind.domainAndCode
        // It takes the two texts and frees them with g_free, and copies the rest.
        gst_element_message_full(
            element, type, domain, code, g_strdup(error.text), error.debug.flatMap { g_strdup($0) },
            "\(error.file)", "", gint(truncatingIfNeeded: error.line))
    }
}

/// The debug category of the bridge: `GST_DEBUG=swiftbridge:5`.
let bridgeLog = DebugCategory("swiftbridge", "Elements written in Swift")
