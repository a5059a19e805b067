import CSystem

/// Slices on a track of their own, such as the time that each frame spends in an element.
///
/// Unlike spans, slices may begin on one thread and end on another, and may overlap; overlapping ones are drawn below
/// each other. A slice is recorded when it has ended, by the thread that knows both times.
public struct TraceSlices: Sendable {
    @usableFromInline let name: TraceName

    /// A track with a registered name, usually the name of the element.
    @inlinable public init(_ name: TraceName) { self.name = name }

    /// The time now, for the beginning of a slice that may be recorded later; 0 while nothing is recorded.
    ///
    /// Costs one relaxed load while nothing is recorded.
    @inlinable
    @inline(__always)
    public static var now: UInt64 { ctracing_load_state() == 0 ? 0 : ctracing_monotonic() }

    /// Records a slice from `start`, a former value of `now`, to now; does nothing if that was 0.
    @inlinable
    @inline(__always)
    public func mark(since start: UInt64, frame: @autoclosure () -> TraceFrame = .none) {
        guard start != 0 else { return }
        mark(from: start, to: Self.now, frame: frame())
    }

    /// Records a slice; the times are nanoseconds of CLOCK_MONOTONIC.
    ///
    /// With `last`, the frame goes no further.
    ///
    /// Does not read the clock. A slice that ends before it begins is recorded as empty.
    @inlinable
    @inline(__always)
    public func mark(
        from start: UInt64, to end: UInt64, frame: @autoclosure () -> TraceFrame = .none, last: Bool = false
    ) {
        let state = ctracing_load_state()
        guard state != 0 else { return }
        Marker.slice(name.address, start, end, frame(), last: last, state)
    }
}
