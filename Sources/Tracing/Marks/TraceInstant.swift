import CSystem

/// An event at one time, such as `queue.drop`.
///
/// Any thread may record an instant, which costs as much as `TraceSpan.begin`.
public struct TraceInstant: Sendable {
    @usableFromInline let name: TraceName
    /// Receivers of the instant, as bits of the state: the trace, or also the hook.
    @usableFromInline let receivers: UInt64

    /// Creates an instant with a name: a literal, or a registered one.
    @inlinable public init(_ name: TraceName) {
        self.name = name
        receivers = .max
    }

    /// Creates an instant for the trace only; `SpanHook` does not receive it.
    public init(inTrace name: TraceName) {
        self.name = name
        receivers = ~TraceRecorder.hookBit
    }

    /// Records the instant at the current time; `last` marks the end of the frame, where the arrows end.
    @inlinable
    @inline(__always)
    public func mark(frame: @autoclosure () -> TraceFrame = .none, last: Bool = false) {
        let state = ctracing_load_state() & receivers
        guard state != 0 else { return }
        Marker.mark(.instant, name.address, 0, frame(), last: last, state)
    }

    /// Records the instant at the current time, with a reason: a string literal or a registered name.
    @inlinable
    @inline(__always)
    public func mark(
        frame: @autoclosure () -> TraceFrame = .none, last: Bool = false, reason: @autoclosure () -> TraceName
    ) {
        let state = ctracing_load_state() & receivers
        guard state != 0 else { return }
        Marker.mark(.instantWithReason, name.address, UInt64(reason().address), frame(), last: last, state)
    }

    /// Records the instant at the current time, with a number, such as a new level.
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
