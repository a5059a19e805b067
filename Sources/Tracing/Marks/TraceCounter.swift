import CSystem

/// A number that changes over time, shown on its own track: frames in a queue, bytes of a pool, a temperature.
///
/// Counters with the same name share one track. An element that may exist several times therefore registers a name that
/// contains its own name. Any thread may set a counter, which costs as much as `TraceSpan.begin`.
public struct TraceCounter: Sendable {
    @usableFromInline let name: TraceName

    /// Creates a counter with a name: a literal, or a registered one.
    @inlinable public init(_ name: TraceName) { self.name = name }

    /// Records the current value of the counter.
    @inlinable
    @inline(__always)
    public func set(_ value: @autoclosure () -> Int64) {
        let state = ctracing_load_state()
        guard state != 0 else { return }
        Marker.mark(.counter, name.address, UInt64(bitPattern: value()), .none, last: false, state)
    }
}
