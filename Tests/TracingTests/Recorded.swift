import Foundation

@testable import TestSupport
@testable import Tracing

/// Records a trace; if another trace is being recorded, the function first waits for its end.
func recorded(
    maximumBytes: Int = 64 << 20, _ body: (inout TraceWriter, inout [UInt8]) throws -> Void
) throws -> DecodedTrace {
    var writer = try startedWriter(maximumBytes: maximumBytes)
    var bytes: [UInt8] = []
    try body(&writer, &bytes)
    bytes += writer.finish()
    return try DecodedTrace(bytes)
}

/// A writer, for which the function waits until no other test has a writer.
func startedWriter(maximumBytes: Int = 64 << 20) throws -> TraceWriter {
    for _ in 0..<1_000_000 {
        do { return try TraceWriter(processName: "test", maximumBytes: maximumBytes) } catch TraceError.alreadyRecording
        {
            sched_yield()
        }
    }
    throw TraceError.alreadyRecording
}

/// Pseudo-random numbers that are the same in each run.
struct DrawnNumbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// A number from 0 up to below `limit`; an LCG of Knuth's MMIX.
    mutating func next(below limit: UInt64) -> UInt64 {
        state = (state &* 6_364_136_223_846_793_005) &+ 1_442_695_040_888_963_407
        return (state >> 33) % limit
    }
}

extension DecodedTrace {
    /// Number of records that were lost on a track.
    func lost(on track: UInt64) -> Int {
        events("trace.lost").filter { $0.track == track }.compactMap { Int($0.notes["records"] ?? "") }.reduce(0, +)
    }
}
