import CSystem

/// A number over time, drawn as a track of its own: frames in a queue, bytes of a pool, a temperature.
///
/// Counters with the same name share one track. An element that may exist several times therefore registers a name that
/// contains its own name. Any thread may set a counter; this costs as much as `TraceSpan.begin`.
public struct TraceCounter: Sendable {
    /// The unit of a counter, which the viewer shows.
    public enum Unit: UInt64, Sendable {
        /// A number without a unit.
        case count = 2
        /// Nanoseconds.
        case nanoseconds = 1
        /// Bytes.
        case bytes = 3
    }

    @usableFromInline let name: TraceName
    @usableFromInline let unit: Unit

    /// A counter with a name: a literal, or a registered one.
    @inlinable public init(_ name: TraceName, unit: Unit = .count) {
        self.name = name
        self.unit = unit
    }

    /// Records the value that the counter has from now on.
    @inlinable
    @inline(__always)
    public func set(_ value: @autoclosure () -> Int64) {
        let state = ctracing_load_state()
        guard state != 0 else { return }
        Marker.mark(
            .counter, name.address, UInt64(bitPattern: value()), TraceFrame(word: unit.rawValue), last: false, state)
    }
}
