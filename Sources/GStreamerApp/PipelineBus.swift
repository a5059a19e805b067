import CGStreamer
import GStreamer
import Threads

/// Receives the messages of a pipeline, and resumes the tasks that wait for them.
///
/// The bus calls `receive` on the thread that posts a message. Under the mutex, events are only compared; tasks are
/// resumed without it.
final class PipelineBus: Sendable {
    /// An event for which a task can wait.
    enum Event {
        case message(PipelineMessage)
        /// An appsink has a sample, or an appsrc has room; `identity` is that of the element.
        case ready(identity: UInt)
        /// An appsink has received the end of the stream.
        case ended(identity: UInt)

        /// The contents of a message that the pipeline itself has posted.
        var pipelineContents: PipelineMessage.Contents? {
            guard case .message(let message) = self, message.isFromPipeline else { return nil }
            return message.contents
        }
        var isEndOfStream: Bool { if case .endOfStream = pipelineContents { true } else { false } }
        var isPrerolled: Bool { if case .prerolled = pipelineContents { true } else { false } }
        /// Whether the pipeline stops; from a change to PAUSED that is not complete, it goes from READY to READY.
        var isStop: Bool {
            if case .stateChanged(let old, .ready) = pipelineContents { old != .null } else { false }
        }

        func reaches(_ state: ElementReference.State) -> Bool {
            if case .stateChanged(_, state) = pipelineContents { true } else { false }
        }

        /// The outcome for a task that waits for the appsink or appsrc; nil if it goes on waiting.
        func outcome(for identity: UInt) -> Result<Void, any Error>? {
            switch self {
            case .ready(identity), .ended(identity): .success(())
            default: isStop ? .failure(FlowResult.flushing) : nil
            }
        }
    }

    /// A wait that has begun: an event after `register` is not missed, even before `wait`.
    struct Registration { let id: Int }

    private struct Waiter {
        let outcomeOf: @Sendable (Event) -> Result<Void, any Error>?
        var outcome: Result<Void, any Error>?
        var continuation: CheckedContinuation<Void, any Error>?
    }

    private struct State {
        var nextID = 0
        var waiters: [Int: Waiter] = [:]
        var streams: [Int: AsyncStream<PipelineMessage>.Continuation] = [:]
        var error: PipelineError?
        var hasEnded = false
        /// The appsinks that have emitted `eos` since the last flush.
        var endedSinks: Set<UInt> = []
        /// Whether the last change to READY was one from NULL, after which an appsink has no EOS of a past run.
        var hasStartedFromNull = false

        mutating func newID() -> Int {
            nextID += 1
            return nextID
        }

        mutating func register(
            _ outcome: @escaping @Sendable (Event) -> Result<Void, any Error>?
        ) -> Registration {
            let id = newID()
            waiters[id] = Waiter(outcomeOf: outcome)
            return Registration(id: id)
        }

        /// A stop ends the wait, and so does an error, which may have come already.
        mutating func register(matching matches: @escaping @Sendable (Event) -> Bool) -> Registration {
            let registration = register { event in
                matches(event) ? .success(()) : event.isStop ? .failure(FlowResult.flushing) : nil
            }
            if let error { waiters[registration.id]?.outcome = .failure(error) }
            return registration
        }
    }

    private let state = Mutex(State())
    /// The address of the pipeline, which owns its bus, and therefore this object.
    private let pipeline: UInt

    init(_ pipeline: ElementReference) {
        self.pipeline = pipeline.identity
        pipeline.withUnsafePointer { pipeline in
            guard let bus = gst_element_get_bus(pipeline) else { return }
            gst_bus_set_sync_handler(
                bus,
                { _, message, data in
                    guard let message, let data else { return GST_BUS_PASS }
                    Unmanaged<PipelineBus>.fromOpaque(data).takeUnretainedValue().receive(message)
                    gst_message_unref(message)
                    return GST_BUS_DROP
                }, Unmanaged.passRetained(self).toOpaque(),
                { data in
                    if let data { Unmanaged<PipelineBus>.fromOpaque(data).release() }
                })
            gst_object_unref(bus)
        }
    }

    /// The first error since the pipeline was last set to READY or NULL.
    var error: PipelineError? { state.withLock { $0.error } }

    /// Ends all streams.
    func close() {
        let streams = state.withLock { state in
            defer { state.streams = [:] }
            return Array(state.streams.values)
        }
        for stream in streams { stream.finish() }
    }

    /// Forgets the error, before and after the pipeline stops.
    func forgetError() { state.withLock { $0.error = nil } }

    // MARK: Receiving

    private func receive(_ raw: UnsafeMutablePointer<GstMessage>) {
        switch raw.pointee.type {
        // As gst-launch-1.0 does, on another thread, because the thread that posts may hold a lock of an element.
        case GST_MESSAGE_LATENCY:
            call(raw) { pipeline, _ in
                pipeline?.withMemoryRebound(to: GstBin.self, capacity: 1) { _ = gst_bin_recalculate_latency($0) }
            }
        case GST_MESSAGE_CLOCK_LOST:
            call(raw) { pipeline, _ in
                // The application may have stopped the pipeline since.
                guard let pipeline, pipeline.pointee.target_state == GST_STATE_PLAYING else { return }
                gst_element_set_state(pipeline, GST_STATE_PAUSED)
                gst_element_set_state(pipeline, GST_STATE_PLAYING)
            }
        case GST_MESSAGE_RESET_TIME:
            // A sink posts it at FLUSH_STOP, with the lock of its stream: earlier ends belong to the flushed stream.
            let sink = UInt(bitPattern: raw.pointee.src)
            state.withLock { state in
                state.hasEnded = false
                state.endedSinks.remove(sink)
            }
        default: break
        }
        notify(.message(PipelineMessage(raw, pipeline: pipeline)))
    }

    /// Calls `function` with the pipeline around the element that posted `message`, on a thread of GStreamer.
    private func call(_ message: UnsafeMutablePointer<GstMessage>, _ function: GstElementCallAsyncFunc) {
        guard let source = message.pointee.src, cgst_is_element(source) != 0 else { return }
        var top = source.withMemoryRebound(to: GstElement.self, capacity: 1) { ElementReference(unsafe: $0) }
        while let parent = top.parent { top = parent }
        guard top.identity == pipeline else { return }
        top.withUnsafePointer { gst_element_call_async($0, function, nil, nil) }
    }

    /// Resumes the tasks that wait for `event`, or all if it is an error; passes a message to the streams.
    func notify(_ event: Event) {
        typealias Woken = (CheckedContinuation<Void, any Error>, Result<Void, any Error>)
        let (woken, streams) = state.withLock { state -> ([Woken], [AsyncStream<PipelineMessage>.Continuation]) in
            var failure: PipelineError?
            switch event {
            case .message(let message):
                if case .error(let error) = message.contents { failure = error }
                state.hasEnded = state.hasEnded || event.isEndOfStream
                if case .stateChanged(let old, .ready) = event.pipelineContents {
                    state.hasEnded = false
                    state.endedSinks = []
                    state.hasStartedFromNull = old == .null
                }
            case .ended(let identity): state.endedSinks.insert(identity)
            case .ready: break
            }
            state.error = state.error ?? failure
            var woken: [Woken] = []
            for (id, waiter) in state.waiters where waiter.outcome == nil {
                guard let outcome = failure.map({ .failure($0) }) ?? waiter.outcomeOf(event) else { continue }
                if let continuation = waiter.continuation {
                    state.waiters[id] = nil
                    woken.append((continuation, outcome))
                } else {
                    state.waiters[id]?.outcome = outcome
                }
            }
            guard case .message = event else { return (woken, []) }
            return (woken, Array(state.streams.values))
        }
        for (continuation, outcome) in woken { continuation.resume(with: outcome) }
        if case .message(let message) = event { for stream in streams { stream.yield(message) } }
    }

    func messages() -> AsyncStream<PipelineMessage> {
        // Without a bound, like the queue of GstBus: a reader that misses an error or the end may wait forever.
        let (stream, continuation) = AsyncStream.makeStream(of: PipelineMessage.self)
        let id = state.withLock { state in
            let id = state.newID()
            state.streams[id] = continuation
            return id
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.streams[id] = nil } }
        return stream
    }

    // MARK: Waiting

    /// Begins to wait for an event that `matches`; give the result to `wait` or `forget`.
    func register(_ matches: @escaping @Sendable (Event) -> Bool) -> Registration {
        state.withLock { $0.register(matching: matches) }
    }

    /// Begins to wait until the appsink or appsrc is ready, or the pipeline stops, which throws `FlowResult.flushing`.
    func register(_ element: UInt) -> Registration {
        state.withLock { $0.register { $0.outcome(for: element) } }
    }

    /// Begins to wait for the end of the stream, which may have come already, as may an error.
    func registerEndOfStream() -> Registration {
        state.withLock { state in
            let registration = state.register(matching: \.isEndOfStream)
            if state.hasEnded, state.error == nil { state.waiters[registration.id]?.outcome = .success(()) }
            return registration
        }
    }

    /// Whether the appsink has received the end of the stream.
    func hasEnded(_ sink: ElementReference) -> Bool {
        let (hasEmitted, isFresh) = state.withLock { ($0.endedSinks.contains(sink.identity), $0.hasStartedFromNull) }
        // The signal may have been emitted before it was connected. Before a start, the property is true, too.
        return hasEmitted || isFresh && sink.pad("sink")?.isActive == true && sink.value("eos") == .bool(true)
    }

    func forget(_ registration: Registration) { state.withLock { $0.waiters[registration.id] = nil } }

    /// Returns when the event has happened; throws the error of an element, or `CancellationError`.
    func wait(for registration: Registration) async throws {
        let id = registration.id
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    guard let waiter = state.waiters[id] else { return .failure(CancellationError()) }
                    guard let outcome = waiter.outcome else {
                        state.waiters[id]?.continuation = continuation
                        return nil
                    }
                    state.waiters[id] = nil
                    return outcome
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            end(registration, throwing: CancellationError())
        }
    }

    /// Ends the wait for `registration`, also one that has not begun; without effect after its end.
    func end(_ registration: Registration, throwing error: any Error) {
        state.withLock { state in
            state.waiters[registration.id]?.outcome = .failure(error)
            let continuation = state.waiters[registration.id]?.continuation
            if continuation != nil { state.waiters[registration.id] = nil }
            return continuation
        }?.resume(throwing: error)
    }
}
