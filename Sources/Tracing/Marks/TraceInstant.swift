import CSystem

/// An event at one time, such as `queue.drop`.
///
/// Any thread may record an instant, which costs as much as `TraceSpan.begin`.
public struct TraceInstant: Sendable {
    @usableFromInline let name: TraceName
    /// Bits of the tracing state that select the receivers of the instant: trace and hook, or only the trace.
    @usableFromInline let receivers: UInt64

    /// Creates an instant whose name is a string literal or a registered name.
    @inlinable public init(_ name: TraceName) {
        self.name = name
        receivers = .max
    }

    /// Creates an instant for the trace only; `SpanHook` does not receive it.
    public init(inTrace name: TraceName) {
        self.name = name
        receivers = ~TraceRecorder.hookBit
    }

    /// Records this event with the current time; `last` is true if the arrows of the frame end at this event.
    @inlinable
    @inline(__always)
    public func mark(frame: @autoclosure () -> TraceFrame = .none, last: Bool = false) {
        let state = ctracing_load_state() & receivers
        guard state != 0 else { return }
        Marker.mark(.instant, name.address, 0, frame(), last: last, state)
    }

    /// Records this event with the current time and a reason: a string literal or a registered name.
    @inlinable
    @inline(__always)
    public func mark(
        frame: @autoclosure () -> TraceFrame = .none, last: Bool = false, reason: @autoclosure () -> TraceName
    ) {
        let state = ctracing_load_state() & receivers
        guard state != 0 else { return }
        Marker.mark(.instantWithReason, name.address, UInt64(reason().address), frame(), last: last, state)
    }

    /// Records this event with the current time and a number, such as the new level of heat in `thermal.step`.
    @inlinable
    @inline(__always)
    public func mark(
        frame: @autoclosure () -> TraceFrame = .none, last: Bool = false, value: @autoclosure () -> Int64
    ) {
        let state = ctracing_load_state() & receivers
        guard state != 0 else { return }
        Marker.mark(.instantWithValue, name.address, UInt64(bitPattern: value()), frame(), last: last, state)
    }
}
