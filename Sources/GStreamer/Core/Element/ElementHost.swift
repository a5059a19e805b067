public import CGStreamer

/// A weak reference to the C instance of an element; the C instance owns the Swift object.
///
/// Any thread may use the host. After the element is finalized, the functions do nothing and return nil, false or an
/// error. A call may release the last reference to the element, so the caller must not hold a mutex that the element's
/// deinitializer locks. The corresponding C types are `GstElement` and `GWeakRef`.
public struct ElementHost: Sendable {
    let reference: WeakReference
    /// Address of the element, for comparison only.
    public let identity: UInt

    /// A weak reference to any element; the element must exist during the call.
    public init(unsafe element: UnsafeMutablePointer<GstElement>) {
        reference = WeakReference(element)
        identity = UInt(bitPattern: element)
    }

    /// Calls `body` with the C instance, which exists during the call; nil if the instance no longer exists.
    ///
    /// The corresponding C function is `g_weak_ref_get`.
    @discardableResult
    public func withUnsafePointer<R: ~Copyable>(_ body: (UnsafeMutablePointer<GstElement>) throws -> R) rethrows -> R? {
        try reference.lend { try body($0.assumingMemoryBound(to: GstElement.self)) }
    }

    /// A strong reference to the element; nil if the element no longer exists.
    public func retained() -> ElementReference? { withUnsafePointer { ElementReference($0) } }

    /// The name of this instance in its pipeline, such as `ntscfilter0`.
    public var name: String { withUnsafePointer { GStreamer.name(of: $0) } ?? "" }

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
    /// If its name is not valid, a warning is logged instead, and a field that has no `GValue` is omitted.
    /// The corresponding C function is `gst_message_new_element`.
    public func post(_ message: Structure) {
        guard let structure = message.makeRaw() else {
            return bridgeLog.warning(self, "\"\(message.name)\" cannot be the name of a message")
        }
        // The message takes ownership of the structure.
        let isPosted = post { gst_message_new_element($0, structure) }
        if !isPosted { gst_structure_free(structure) }
    }

    /// Posts the message that `make` returns for the C instance; false if the instance no longer exists.
    @discardableResult
    func post(_ make: (UnsafeMutablePointer<GstObject>) -> UnsafeMutablePointer<GstMessage>?) -> Bool {
        withUnsafePointer { element -> Void in
            // The bus takes ownership of the message.
            if let message = make(&element.pointee.object) { gst_element_post_message(element, message) }
        } != nil
    }

    /// Marks the source pads for renegotiation of caps and allocation before the next buffer.
    ///
    /// The corresponding C function is `gst_pad_mark_reconfigure`.
    public func requestReconfigure() {
        let mark: GstElementForeachPadFunc = { _, pad, _ in
            gst_pad_mark_reconfigure(pad)
            return 1
        }
        withUnsafePointer { _ = gst_element_foreach_src_pad($0, mark, nil) }
    }

    /// Emits a signal of the element on this thread, with arguments of the kinds that the signal declares.
    ///
    /// Handlers may call any function, so hold no mutex. The call returns the result of the handlers; nil if the signal
    /// has no result, or if no handler returned one. The corresponding C function is `g_signal_emitv`.
    @discardableResult
    public func emit(_ signal: Signal, _ arguments: Structure.Value...) -> Structure.Value? {
        withUnsafePointer { signal.emit(from: $0, arguments) } ?? nil
    }

    /// Emits a signal without arguments; the emission does not allocate.
    public func emit(_ signal: Signal) { withUnsafePointer { _ = signal.emit(from: $0, []) } }

    /// Posts an error message because the stream has stopped: downstream returned `flow`.
    ///
    /// The corresponding C macro is `GST_ELEMENT_FLOW_ERROR`.
    public func post(flowError flow: FlowResult) { withUnsafePointer { cgst_element_flow_error($0, flow.raw) } }

    /// Posts a QOS message with the numbers of buffers that were processed and dropped since the start or a flush.
    ///
    /// `isLive` is whether the source of the stream is live.
    /// The corresponding C function is `gst_message_new_qos`.
    public func postQualityOfService(isLive: Bool, processed: UInt64, dropped: UInt64) {
        post {
            let message = gst_message_new_qos($0, isLive ? 1 : 0, .max, .max, .max, .max)
            gst_message_set_qos_stats(message, GST_FORMAT_BUFFERS, guint64(processed), guint64(dropped))
            return message
        }
    }

    /// Posts a LATENCY message, so that the application recalculates the latency of the pipeline.
    ///
    /// The corresponding C function is `gst_message_new_latency`.
    public func postLatencyChanged() { post { gst_message_new_latency($0) } }

    /// Posts the end of the stream for the sinks in a bin that receive no EOS event.
    ///
    /// The corresponding C function is `gst_message_new_eos`.
    public func postEndOfStream() { post { gst_message_new_eos($0) } }

    /// The running time of the pipeline; nil without a clock, as before PLAYING.
    ///
    /// The corresponding C function is `gst_element_get_current_running_time`.
    public var runningTime: Duration? {
        withUnsafePointer { Duration(gst_element_get_current_running_time($0)) } ?? nil
    }

    /// Emits `notify` for a property that changed without a call of the application.
    ///
    /// Handlers may call any function, so hold no mutex. The corresponding C function is `g_object_notify`.
    public func notify(_ property: String) {
        withUnsafePointer { g_object_notify(&$0.pointee.object.object, property) }
    }

    /// Whether the element is in PAUSED or PLAYING, or changes to one of these states.
    var isActive: Bool { withUnsafePointer { cgst_element_is_active($0) != 0 } ?? false }

    private func post(_ error: ElementError, as type: GstMessageType) {
        let (domain, code) = error.kind.domainAndCode
        withUnsafePointer {
            // The function takes ownership of the two texts and copies the other strings.
            gst_element_message_full(
                $0, type, domain, code, g_strdup(error.text), error.debug.flatMap { g_strdup($0) },
                "\(error.file)", "", gint(truncatingIfNeeded: error.line))
        }
    }
}

/// The debug category of the bridge: `GST_DEBUG=swiftbridge:5`.
let bridgeLog = DebugCategory("swiftbridge", "Elements written in Swift")
