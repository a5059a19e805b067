@testable import Tracing

/// Writes a trace from records that a test lists.
struct DrawnTrace {
    private(set) var encoder: TraceEncoder
    private var named: Set<Int32> = []

    init(maximumBytes: Int = 1 << 20) {
        encoder = TraceEncoder(
            process: 42, name: "drawn", clocks: TraceClocks(monotonic: 100, boottime: 200, realtime: 300), seed: 7,
            maximumBytes: maximumBytes)
    }

    mutating func begin(
        _ name: TraceName, level: UInt64, at time: UInt64, of thread: Int32 = 1, frame: TraceFrame = .none
    ) {
        add(
            TraceRecord(.begin, name: name.address, time: time, value: level, frame: frame.word, session: 1),
            thread)
    }

    mutating func end(level: UInt64, at time: UInt64, of thread: Int32 = 1) {
        add(TraceRecord(.end, name: 0, time: time, value: level, frame: 0, session: 1), thread)
    }

    mutating func instant(
        _ name: TraceName, at time: UInt64, of thread: Int32 = 1, frame: TraceFrame = .none, last: Bool = false
    ) {
        add(
            TraceRecord(.instant, name: name.address, time: time, value: 0, frame: frame.word, last: last, session: 1),
            thread)
    }

    mutating func slice(
        _ name: TraceName, _ times: Range<UInt64>, of thread: Int32 = 1, frame: TraceFrame = .none
    ) {
        add(
            TraceRecord(
                .slice, name: name.address, time: times.lowerBound, value: UInt64(times.count),
                frame: frame.word, session: 1), thread)
    }

    mutating func add(_ record: TraceRecord, _ thread: Int32) {
        if named.insert(thread).inserted { encoder.name(thread, "thread \(thread)") }
        encoder.add(record, of: thread)
    }

    mutating func lose(_ count: UInt64, of thread: Int32?) { encoder.addLost(count, of: thread, reason: "ring full") }

    mutating func name(_ thread: Int32, _ name: String) { encoder.name(thread, name) }

    mutating func writeSlices() { encoder.writeSlices() }

    /// All bytes that the encoder has until now.
    mutating func bytes() -> [UInt8] {
        encoder.writeSlices()
        return encoder.takeBytes()
    }

    /// Ends the trace and returns its bytes.
    mutating func finished(at time: UInt64 = 1_000_000) -> [UInt8] {
        encoder.writeSlices()
        encoder.finish("stopped", time: time)
        return encoder.takeBytes()
    }
}
