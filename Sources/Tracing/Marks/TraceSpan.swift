import CSystem

/// Time that a thread spends on an operation, such as `pool.acquire`.
///
/// A span is a constant of the element:
///
///     static let acquire = TraceSpan("pool.acquire")
///     …
///     let span = Self.acquire.begin(frame: TraceFrame(runningTime: time))
///     …
///     span.end()
///
/// Any thread may begin a span; the same thread ends it. Spans of a thread nest. While nothing is recorded, a mark
/// costs one relaxed load and a branch, and `frame` is not evaluated. While recording, a mark reads the clock once,
/// locks no mutex and allocates no memory.
public struct TraceSpan: Sendable {
    @usableFromInline let name: TraceName

    /// Creates a span with a name: a literal, or a registered one.
    @inlinable public init(_ name: TraceName) { self.name = name }

    /// Begins the span; end the returned span on the same thread.
    @inlinable
    @inline(__always)
    public func begin(frame: @autoclosure () -> TraceFrame = .none) -> OpenSpan {
        let state = ctracing_load_state()
        guard state != 0 else { return .none }
        return Marker.begin(name.address, frame(), state)
    }
}
