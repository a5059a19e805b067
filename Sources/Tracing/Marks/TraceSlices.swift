import CSystem

/// Slices on their own track, such as the time that each frame spends in an element.
///
/// Unlike spans, slices may begin on one thread and end on another, and may overlap; the viewer draws overlapping
/// slices below each other. A slice is recorded after its end, by a thread with both times.
public struct TraceSlices: Sendable {
    @usableFromInline let name: TraceName

    /// Creates a track with a registered name, usually the name of the element.
    @inlinable public init(_ name: TraceName) { self.name = name }

    /// Current time, for the beginning of a slice; 0 while nothing is recorded, which costs one relaxed load.
    @inlinable
    @inline(__always)
    public static var now: UInt64 { ctracing_load_state() == 0 ? 0 : ctracing_monotonic() }

    /// Records a slice from `start`, a former value of `now`, to the current time; does nothing if `start` is 0.
    @inlinable
    @inline(__always)
    public func mark(since start: UInt64, frame: @autoclosure () -> TraceFrame = .none) {
        guard start != 0 else { return }
        mark(from: start, to: Self.now, frame: frame())
    }

    /// Records a slice between two times in nanoseconds of CLOCK_MONOTONIC, without reading the clock.
    ///
    /// A slice that ends before it begins is recorded as empty.
    @inlinable
    @inline(__always)
    public func mark(from start: UInt64, to end: UInt64, frame: @autoclosure () -> TraceFrame = .none) {
        let state = ctracing_load_state()
        guard state != 0 else { return }
        Marker.slice(name.address, start, end, frame(), state)
    }
}
