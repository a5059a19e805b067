import CSystem
import Synchronization

/// Records marks on the thread that sets them, while a trace or a hook is active.
@usableFromInline enum Marker {
    /// Maximum number of open spans of a thread; further spans are lost.
    static let deepest: UInt64 = 64

    /// Records the beginning of a span, if the ring also has room for its end.
    @usableFromInline static func begin(_ name: UInt, _ frame: TraceFrame, _ state: UInt64) -> OpenSpan {
        let hooked = (state & TraceRecorder.hookBit) == 0 ? 0 : SpanHook.begin(name, frame)
        guard let ring = unsafe ring(for: state) else { return OpenSpan(level: 0, hooked: hooked) }
        let depth = unsafe ring.pointee.depth.load(ordering: .relaxed)
        guard depth < deepest else {
            unsafe ring.pointee.countLost()
            return OpenSpan(level: 0, hooked: hooked)
        }
        // Room is reserved for the ends of all open spans, so every recorded span also ends in the trace.
        guard unsafe ring.pointee.hasRoom(reserve: depth &+ 1) else { return OpenSpan(level: 0, hooked: hooked) }
        unsafe ring.pointee.append(
            TraceRecord(
                .begin, name: name, time: ctracing_monotonic(), value: depth &+ 1, frame: frame.word,
                session: state >> 8))
        unsafe ring.pointee.depth.store(depth &+ 1, ordering: .relaxed)
        return OpenSpan(level: depth &+ 1, hooked: hooked)
    }

    /// Records the end of a span whose beginning was recorded in this session.
    @usableFromInline static func end(_ span: OpenSpan) {
        if span.hooked != 0 { SpanHook.end(span.hooked) }
        let state = ctracing_load_state()
        guard span.level != 0, (state & TraceRecorder.recordingBit) != 0, let pointer = unsafe ctracing_get_thread()
        else { return }
        let ring = unsafe pointer.assumingMemoryBound(to: RecordRing.self)
        guard unsafe ring.pointee.session.load(ordering: .relaxed) == state >> 8,
            unsafe ring.pointee.depth.load(ordering: .relaxed) >= span.level
        else { return }
        unsafe ring.pointee.append(
            TraceRecord(
                .end, name: 0, time: ctracing_monotonic(), value: span.level, frame: 0, session: state >> 8))
        unsafe ring.pointee.depth.store(span.level &- 1, ordering: .relaxed)
    }

    @usableFromInline static func mark(
        _ kind: MarkKind, _ name: UInt, _ value: UInt64, _ frame: TraceFrame, last: Bool, _ state: UInt64
    ) {
        if (state & TraceRecorder.hookBit) != 0, let note = kind.note { SpanHook.event(name, frame, note, value) }
        append(kind, name, ctracing_monotonic(), value, frame, last, state)
    }

    @usableFromInline static func slice(
        _ name: UInt, _ start: UInt64, _ end: UInt64, _ frame: TraceFrame, _ state: UInt64
    ) {
        append(.slice, name, start, end > start ? end &- start : 0, frame, false, state)
    }

    private static func append(
        _ kind: MarkKind, _ name: UInt, _ time: UInt64, _ value: UInt64, _ frame: TraceFrame, _ last: Bool,
        _ state: UInt64
    ) {
        guard let ring = unsafe ring(for: state),
            unsafe ring.pointee.hasRoom(reserve: ring.pointee.depth.load(ordering: .relaxed))
        else { return }
        unsafe ring.pointee.append(
            TraceRecord(kind, name: name, time: time, value: value, frame: frame.word, last: last, session: state >> 8))
    }

    /// Ring of the calling thread; nil if no marks are recorded or no ring is free.
    private static func ring(for state: UInt64) -> UnsafeMutablePointer<RecordRing>? {
        guard (state & TraceRecorder.recordingBit) != 0 else { return nil }
        guard let ring = unsafe ctracing_get_thread()?.assumingMemoryBound(to: RecordRing.self) ?? takeRing() else {
            return nil
        }
        if unsafe ring.pointee.session.load(ordering: .relaxed) != state >> 8 {
            // Spans of an earlier session do not end in this session.
            unsafe ring.pointee.session.store(state >> 8, ordering: .relaxed)
            unsafe ring.pointee.depth.store(0, ordering: .relaxed)
        }
        return unsafe ring
    }

    @inline(never)
    private static func takeRing() -> UnsafeMutablePointer<RecordRing>? {
        guard let ring = unsafe TraceRecorder.store?.take() else {
            TraceRecorder.unplaced.add(1, ordering: .relaxed)
            return nil
        }
        guard unsafe ctracing_set_thread(ring) else {
            unsafe ring.pointee.owner.leave()
            TraceRecorder.unplaced.add(1, ordering: .relaxed)
            return nil
        }
        return unsafe ring
    }
}
