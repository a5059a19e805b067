import CGStreamer
import Durations
public import GStreamer
import Threads

/// A pipeline of an application.
///
///     let pipeline = try Pipeline("filesrc location=in.webm ! decodebin ! videoconvert ! autovideosink")
///     try await pipeline.set(.playing)
///     try await pipeline.endOfStream()
///
/// Any thread and task may use it. No method blocks a thread, and no GLib main loop is needed. All messages of the bus
/// go to the streams of `messages()`, so a bus watch receives none. After the last reference is released, a thread of
/// GStreamer changes the pipeline to NULL. The corresponding C type is `GstPipeline`.
public final class Pipeline: Sendable {
    /// The pipeline as an element: a bin with all elements.
    public let element: ElementReference
    let bus: PipelineBus

    /// A pipeline with the elements of a launch line, in the syntax of `gst-launch-1.0`.
    ///
    /// Initializes GStreamer if necessary. Throws the error of GStreamer if the line is not valid or an element is
    /// missing. The corresponding C function is `gst_parse_launch_full`.
    public init(_ launchLine: String) throws(PipelineError) {
        initialize()
        var error: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&error) }
        guard let parsed = gst_parse_launch_full(launchLine, nil, GST_PARSE_FLAG_FATAL_ERRORS, &error) else {
            throw PipelineError(error, source: nil, debug: nil)
        }
        gst_object_ref_sink(parsed)
        defer { gst_object_unref(parsed) }
        // A line with one element is that element.
        var pipeline = ElementReference(unsafe: parsed)
        if !pipeline.isInstance(of: "GstPipeline") {
            guard let outer = ElementReference(factory: "pipeline") else {
                throw PipelineError(text: "GStreamer has no element pipeline.")
            }
            outer.withUnsafePointer { outer in
                _ = outer.withMemoryRebound(to: GstBin.self, capacity: 1) { gst_bin_add($0, parsed) }
            }
            pipeline = outer
        }
        element = pipeline
        bus = PipelineBus(pipeline)
    }

    deinit {
        bus.close()
        // The last reference may be that of a closure on a streaming thread, which cannot wait for itself.
        element.withUnsafePointer { element in
            gst_element_call_async(
                element, { pipeline, _ in gst_element_set_state(pipeline, GST_STATE_NULL) }, nil, nil)
        }
    }

    /// The element `name`, which is the pipeline itself for a line such as `playbin name=player`; nil if there is none.
    ///
    /// The corresponding C function is `gst_bin_get_by_name`.
    public subscript(name: String) -> ElementReference? {
        name == element.name ? element : element.element(named: name)
    }

    // MARK: States

    /// Changes the state, and returns when the pipeline has reached it.
    ///
    /// In PAUSED and PLAYING, all sinks have received their first buffer, unless a source is live. Throws the error of
    /// the element that fails, `FlowResult.flushing` if another task stops the pipeline, or `CancellationError` if this
    /// task is cancelled, while the change goes on. The corresponding C function is `gst_element_set_state`.
    public func set(_ state: ElementReference.State) async throws {
        let stops = state == .null || state == .ready
        if stops { bus.forgetError() }
        // ASYNC_DONE follows the message of the state, and must not be taken for that of a later seek.
        let reached = bus.register { state == .paused ? $0.isPrerolled : $0.reaches(state) }
        let change = await call { pipeline in
            // A source that sends EOS has the lock of its state, and waits for its streaming thread. This thread may
            // wait in a sink that is in PAUSED already, while the pipeline waits for the lock of the source.
            if stops, pipeline.withUnsafePointer({ $0.pointee.current_state == GST_STATE_PLAYING }) {
                for sink in pipeline.sinks() where sink.isActive { sink.setState(.ready) }
            }
            return pipeline.setState(state)
        }
        // Errors that elements have posted during the stop belong to the past run.
        if stops, change != .failure { bus.forgetError() }
        guard change == .async else {
            bus.forget(reached)
            if change == .failure { throw bus.error ?? PipelineError(text: "The state cannot be changed.") }
            if !stops, let error = bus.error { throw error }
            return
        }
        try await bus.wait(for: reached)
    }

    /// Returns when all sinks have received the end of the stream; throws the error of an element, or
    /// `CancellationError`.
    ///
    /// Returns at once if the stream has ended since the last start or seek. Throws `FlowResult.flushing` if another
    /// task stops the pipeline.
    ///
    /// With `sentAtInterrupt`, SIGINT (Ctrl-C) or SIGTERM calls `sendEndOfStream`, so that a recording is complete, as
    /// with `gst-launch-1.0 -e`. The next such signal has its former effect: normally it ends the process at once. All
    /// pipelines that wait receive the first signal. If the sources cannot send EOS, as before PAUSED, the call throws
    /// `FlowResult.flushing`. The handlers are installed only during the call, also for signals that were ignored.
    public func endOfStream(sentAtInterrupt: Bool = false) async throws {
        let end = bus.registerEndOfStream()
        let send = { @Sendable [self] in
            if await !sendEndOfStream() { bus.end(end, throwing: FlowResult.flushing) }
        }
        let interrupt = sentAtInterrupt ? Interrupts.begin { Task { await send() } } : nil
        defer { interrupt.map(Interrupts.end) }
        try await bus.wait(for: end)
    }

    /// Calls `body` on a thread of GStreamer.
    private func call<R: Sendable>(_ body: @escaping @Sendable (ElementReference) -> R) async -> R {
        await withCheckedContinuation { continuation in
            let work = Work { [element] in continuation.resume(returning: body(element)) }
            element.withUnsafePointer { element in
                gst_element_call_async(
                    element,
                    { _, data in
                        if let data { Unmanaged<Work>.fromOpaque(data).takeUnretainedValue().run() }
                    }, Unmanaged.passRetained(work).toOpaque(),
                    { data in
                        if let data { Unmanaged<Work>.fromOpaque(data).release() }
                    })
            }
        }
    }

    private final class Work: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    // MARK: Times

    /// The position in the stream; nil before it is known.
    ///
    /// The corresponding C function is `gst_element_query_position`.
    public var position: Duration? { time(gst_element_query_position) }

    /// The duration of the stream; nil if it is unknown.
    ///
    /// The corresponding C function is `gst_element_query_duration`.
    public var duration: Duration? { time(gst_element_query_duration) }

    private func time(
        _ query: (UnsafeMutablePointer<GstElement>?, GstFormat, UnsafeMutablePointer<gint64>?) -> gboolean
    ) -> Duration? {
        element.withUnsafePointer { element in
            var nanoseconds: gint64 = 0
            guard query(element, GST_FORMAT_TIME, &nanoseconds) != 0, nanoseconds >= 0 else { return nil }
            return .nanoseconds(Int64(nanoseconds))
        }
    }

    /// Plays from `position` at `rate`, and returns when the pipeline has prerolled there.
    ///
    /// The rate 1 is normal speed; with a negative rate, the stream plays backwards from `position`. With `isAccurate`,
    /// the first frame is the one at `position`; without, it is the key frame before. Throws if the pipeline cannot
    /// seek, and like `set`. The corresponding C function is `gst_element_seek`.
    public func seek(to position: Duration, rate: Double = 1, isAccurate: Bool = true) async throws {
        guard rate.isFinite, rate != 0 else { throw PipelineError(text: "A seek needs a rate that is not 0.") }
        let flags =
            GST_SEEK_FLAG_FLUSH.rawValue
            | (isAccurate ? GST_SEEK_FLAG_ACCURATE : GST_SEEK_FLAG_KEY_UNIT).rawValue
        let time = gint64(clamping: UInt64(nanosecondsOf: position))
        let prerolled = bus.register { $0.isPrerolled }
        // Sinks without preroll, with async=false or behind a live source, post no ASYNC_DONE.
        let (isDone, prerolls) = await call { element in
            element.withUnsafePointer { element in
                let isDone =
                    gst_element_seek(
                        element, rate, GST_FORMAT_TIME, GstSeekFlags(rawValue: flags), GST_SEEK_TYPE_SET,
                        rate > 0 ? time : 0, GST_SEEK_TYPE_SET, rate > 0 ? -1 : time)
                    != 0
                return (isDone, gst_element_get_state(element, nil, nil, 0) == GST_STATE_CHANGE_ASYNC)
            }
        }
        guard isDone, prerolls else {
            bus.forget(prerolled)
            if isDone { return }
            throw bus.error ?? PipelineError(text: "The pipeline cannot seek to \(position).")
        }
        try await bus.wait(for: prerolled)
    }

    /// Ends the stream: the sources send EOS, so that a recording is complete; wait for `endOfStream()` afterwards.
    ///
    /// In PAUSED, the call may return only after the change to another state. Returns false if the pipeline has no
    /// sources, or if a source does not handle EOS or is not in PAUSED or PLAYING. The corresponding C functions are
    /// `gst_event_new_eos` and `gst_element_send_event`.
    @discardableResult
    public func sendEndOfStream() async -> Bool {
        await call { pipeline in
            guard let event = gst_event_new_eos() else { return false }
            defer { gst_event_unref(event) }
            // A source waits for its streaming thread, which in PAUSED waits for the next state. So its lock must be
            // the only one: that of the pipeline would block the change to this state.
            let results = pipeline.sources().map { $0.withUnsafePointer { Self.send(event, to: $0) } }
            return !results.isEmpty && results.allSatisfy { $0 }
        }
    }

    /// Sends `event` to a source; false if the source does not handle it, or is not in PAUSED or PLAYING.
    private static func send(
        _ event: UnsafeMutablePointer<GstEvent>, to source: UnsafeMutablePointer<GstElement>
    ) -> Bool {
        // State changes take the same lock. After a stop, the source would keep the event for its next start.
        g_rec_mutex_lock(&source.pointee.state_lock)
        defer { g_rec_mutex_unlock(&source.pointee.state_lock) }
        return cgst_element_is_active(source) != 0 && gst_element_send_event(source, gst_event_ref(event)) != 0
    }

    // MARK: Messages

    /// The messages that elements post from now on.
    ///
    /// Each call returns a new stream, which ends when its task is cancelled or the pipeline is released. The stream
    /// keeps all messages until they are read, as the queue of a `GstBus` does, so release a stream that nobody reads.
    /// The corresponding C type is `GstBus`.
    public func messages() -> AsyncStream<PipelineMessage> { bus.messages() }
}
