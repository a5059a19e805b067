import CSystem

/// An event at one time, such as `queue.drop`.
///
/// Any thread may record it, at the cost of `TraceSpan.begin`.
public struct TraceInstant: Sendable {
    @usableFromInline let name: TraceName
    /// Bits of the state for which the instant is recorded.
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

    /// Records the instant at the current time; `last` means that the frame ends here, so no arrow leads on.
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
