import Glibc
import Tracing

/// Writes a trace with nested spans, a span without an end, slices, a counter, flows and lost records.
enum Example {
    private static let acquire = TraceSpan("pool.acquire")
    private static let process = TraceSpan("ntsc.process")
    private static let drop = TraceInstant("queue.drop")
    private static let shown = TraceInstant("sink.show")
    private static let level = TraceCounter("queue0 frames")

    static func write(to path: String) throws {
        let queue = TraceSlices(TraceName(registering: "queue0 \"first\""))
        var writer = try TraceWriter(processName: "example")
        for number in 0..<50 as Range<UInt64> {
            let frame = TraceFrame(runningTime: number * 40_000_000)
            let outer = process.begin(frame: frame)
            let inner = acquire.begin()
            level.set(Int64(number % 5))
            inner.end()
            outer.end()
            let now = clock()
            queue.mark(from: now, to: now + 90_000, frame: frame)
            if number % 10 == 9 {
                drop.mark(frame: frame, last: true, reason: "too late")
            } else {
                shown.mark(frame: frame, last: true)
            }
        }
        for _ in 0..<5000 { drop.mark(value: -1) }
        _ = process.begin()
        let bytes = writer.drain() + writer.finish()
        guard let file = fopen(path, "w") else { fatalError("\(path) cannot be written") }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    private static func clock() -> UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return (UInt64(now.tv_sec) * 1_000_000_000) + UInt64(now.tv_nsec)
    }
}
