public import GStreamer
import Threads

extension Pipeline {
    /// The samples of the appsink `name`, as an asynchronous sequence.
    ///
    ///     for try await sample in try pipeline.samples(of: "sink") { … }
    ///
    /// The sequence ends at the end of the stream, and when the pipeline is set to READY or NULL. It throws the error
    /// of an element, or `CancellationError`. A slow consumer slows the pipeline, unless the appsink drops samples.
    /// If `max-buffers` is 0, it is set to 1. An appsink supports one sequence at a time. The call throws if there is
    /// no appsink with this name.
    public func samples(of name: String) throws(PipelineError) -> SampleSequence {
        guard let sink = self[name], sink.isInstance(of: "GstAppSink") else {
            throw PipelineError(text: "The pipeline has no appsink with the name \(name).")
        }
        return SampleSequence(sink, self)
    }

    /// The appsrc `name`, to which the application writes; throws if there is no appsrc with this name.
    ///
    /// The appsrc no longer blocks the thread that pushes buffers, because `BufferWriter.write` waits instead.
    public func writer(to name: String) throws(PipelineError) -> BufferWriter {
        guard let source = self[name], source.isInstance(of: "GstAppSrc") else {
            throw PipelineError(text: "The pipeline has no appsrc with the name \(name).")
        }
        return BufferWriter(source, self)
    }
}

/// The samples that an appsink receives; `Pipeline.samples` describes when they end.
public struct SampleSequence: AsyncSequence, Sendable {
    private let sink: ElementReference
    private let pipeline: Pipeline
    private let connections: [SignalConnection]

    init(_ sink: ElementReference, _ pipeline: Pipeline) {
        self.sink = sink
        self.pipeline = pipeline
        let (bus, identity) = (pipeline.bus, sink.identity)
        connections = [
            ("new-sample", PipelineBus.Event.ready(identity: identity)), ("eos", .ended(identity: identity)),
        ].compactMap { name, event in
            SignalConnection(sink, name) { _ in
                bus.notify(event)
                return nil
            }
        }
        if sink.number("max-buffers") == 0 { sink.set("max-buffers", to: 1) }
        sink.set("emit-signals", to: Structure.Value.bool(true))
    }

    /// An iterator for one task.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(sequence: self) }

    /// Reads the samples one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let sequence: SampleSequence
        /// Whether a sample was read, so that the pipeline has started.
        private var hasRun = false

        fileprivate init(sequence: SampleSequence) { self.sequence = sequence }

        /// The next sample; nil after the last one.
        ///
        /// Throws the error of an element, or `CancellationError`.
        public mutating func next() async throws -> Sample? {
            let (sink, bus) = (sequence.sink, sequence.pipeline.bus)
            while true {
                try Task.checkCancellation()
                // Read before the pull, so that the samples before an error or the end are not lost.
                let (failure, hasEnded) = (bus.error, bus.hasEnded(sink))
                let ready = bus.register(sink.identity)
                if case .sample(let sample)? = sink.emit("try-pull-sample", .uint64(0)) {
                    bus.forget(ready)
                    hasRun = true
                    return sample
                }
                let isStopped = hasRun && !sink.isActive
                if let failure {
                    bus.forget(ready)
                    throw failure
                }
                guard !isStopped, !hasEnded else {
                    bus.forget(ready)
                    return nil
                }
                guard bus.error == nil, !bus.hasEnded(sink) else {
                    bus.forget(ready)
                    continue
                }
                do {
                    try await bus.wait(for: ready)
                    hasRun = true
                } catch let result as FlowResult where result == .flushing {
                    return nil
                } catch is PipelineError {
                    continue
                }
            }
        }
    }
}

/// Writes buffers to an appsrc.
public final class BufferWriter: Sendable {
    private let source: ElementReference
    private let pipeline: Pipeline
    private let connections: [SignalConnection]
    private let isFull: Flag

    /// Whether the queue of the appsrc has reached its limit.
    private final class Flag: Sendable {
        let value = Mutex(false)
    }

    init(_ source: ElementReference, _ pipeline: Pipeline) {
        self.source = source
        self.pipeline = pipeline
        let (bus, identity, isFull) = (pipeline.bus, source.identity, Flag())
        self.isFull = isFull
        connections = [("enough-data", true), ("need-data", false)].compactMap { name, full in
            SignalConnection(source, name) { _ in
                isFull.value.withLock { $0 = full }
                if !full { bus.notify(.ready(identity: identity)) }
                return nil
            }
        }
        source.set("emit-signals", to: Structure.Value.bool(true))
        source.set("block", to: Structure.Value.bool(false))
    }

    /// Appends `buffer`; waits while the queue of the appsrc is full.
    ///
    /// The limits are the properties `max-bytes`, `max-buffers` and `max-time`. Throws the error of an element,
    /// `FlowResult.flushing` if the pipeline is not in PAUSED or PLAYING, `FlowResult.endOfStream` after `finish`, or
    /// `CancellationError`.
    public func write(_ buffer: consuming Buffer) async throws {
        let bus = pipeline.bus
        while isFull.value.withLock({ $0 }) {
            let ready = bus.register(source.identity)
            guard isFull.value.withLock({ $0 }), bus.error == nil, source.isActive else {
                bus.forget(ready)
                break
            }
            try await bus.wait(for: ready)
        }
        try Task.checkCancellation()
        if let error = bus.error { throw error }
        let result = source.emit("push-buffer", buffer)
        guard result == .ok else { throw pipeline.bus.error ?? result as any Error }
    }

    /// Ends the stream after the buffers that were written.
    public func finish() { source.emit("end-of-stream") }
}
