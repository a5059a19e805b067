import CAllocationCount
import Synchronization
import Tracing

/// Prints how long marks take, or how many allocations they cause, for tests and for people.
///
///     Probe trace allocations     the number of allocations during 3,000 marks, including the first of the thread
///     Probe trace cost            nanoseconds of a mark, off and on, and of the writer
///     Probe trace file PATH       a small trace, to be read by other programs
///     Probe trace none|off N      N turns of the loop without and with a span and an instant, for an instruction count
struct TracingProbe {
    private static let span = TraceSpan("pool.acquire")
    private static let instant = TraceInstant("queue.drop")
    private static let counter = TraceCounter("pool.bytes")

    static func run(_ command: String, _ argument: String) throws {
        let turns = Int(argument) ?? 0
        switch command {
        case "allocations": try printAllocations()
        case "cost": try printCost()
        case "file": try Example.write(to: argument)
        case "none": print(work(turns))
        case "off": print(marks(turns))
        default: fatalError("there is no command \(command)")
        }
    }

    private static func printAllocations() throws {
        let slices = TraceSlices(TraceName(registering: "queue0"))
        var writer = try TraceWriter(processName: "probe")
        let before = allocation_count()
        for number in 0..<500 {
            let frame = TraceFrame(runningTime: UInt64(number))
            let outer = span.begin(frame: frame)
            let inner = span.begin(frame: frame)
            instant.mark(frame: frame, value: 1)
            inner.end()
            instant.mark(frame: frame, last: true, reason: "too late")
            counter.set(Int64(number))
            slices.mark(from: 1, to: 2, frame: frame)
            outer.end()
        }
        let during = allocation_count() - before
        let bytes = writer.finish().count
        print(during, bytes > 0 ? 1 : 0)
    }

    private static func printCost() throws {
        let turns = 20_000_000
        // The shortest of five alternate measurements counts, because other programs can only lengthen a time.
        var (without, with) = (Duration.seconds(1000), Duration.seconds(1000))
        for _ in 0..<5 {
            without = min(without, ContinuousClock().measure { blackHole(work(turns)) })
            with = min(with, ContinuousClock().measure { blackHole(marks(turns)) })
        }
        print("off: a span and an instant", nanoseconds(with - without, turns), "ns")
        var writer = try TraceWriter(processName: "probe")
        var (on, drain) = (Duration.seconds(1000), Duration.seconds(1000))
        for _ in 0..<200 {
            on = min(on, ContinuousClock().measure { blackHole(marks(1000)) })
            drain = min(drain, ContinuousClock().measure { _ = writer.drain() })
        }
        print("on: a span and an instant, three records", nanoseconds(on, 1000), "ns")
        print("writer: three records", nanoseconds(drain, 1000), "ns")
        _ = writer.finish()
    }

    private static func nanoseconds(_ time: Duration, _ turns: Int) -> Double {
        Double(time.components.attoseconds) / 1e9 / Double(turns)
    }

    /// Does work that the compiler cannot remove.
    @inline(never) private static func work(_ turns: Int) -> UInt64 {
        var state: UInt64 = 88_172_645_463_325_252
        for _ in 0..<turns { step(&state) }
        return state
    }

    @inline(never) private static func marks(_ turns: Int) -> UInt64 {
        var state: UInt64 = 88_172_645_463_325_252
        for _ in 0..<turns {
            let open = span.begin(frame: TraceFrame(runningTime: state))
            step(&state)
            instant.mark(frame: TraceFrame(runningTime: state))
            open.end()
        }
        return state
    }

    /// A step of Marsaglia's random number generator xorshift64.
    @inline(__always) private static func step(_ state: inout UInt64) {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
    }

    @inline(never) private static func blackHole(_ value: UInt64) { if value == 0 { print(value) } }
}
