@testable import TestSupport
@testable import Tracing

/// Writes records with any order, times and values as a Perfetto trace, and reads the trace with the code of the tests.
///
/// Each step has a byte for its kind and the thread, a byte for the name, and two numbers with a byte for their length.
struct FuzzTrace {
    private var input: ArraySlice<UInt8>
    private var encoder: TraceEncoder

    private static let names: [TraceName] = ["a", "pool.acquire", "queue", "thermal.step"]

    @Sendable static func run(_ input: [UInt8]) {
        var fuzzed = FuzzTrace(input)
        while fuzzed.input.count > 1 { fuzzed.step() }
        fuzzed.check()
    }

    private init(_ input: [UInt8]) {
        self.input = input[...]
        encoder = TraceEncoder(
            process: 42, name: String(decoding: input.prefix(40), as: UTF8.self),
            clocks: TraceClocks(monotonic: 100, boottime: 200, realtime: 300), seed: UInt64(input.count),
            maximumBytes: 1 << 17)
    }

    private mutating func step() {
        let (kind, name) = (input.removeFirst(), Self.names[Int(input.removeFirst() & 3)].address)
        let thread = Int32(1 + (kind >> 6))
        switch kind & 15 {
        case 0...6:
            guard let kind = MarkKind(rawValue: 1 + (kind & 15)) else { return }
            let (time, number) = (number(), number())
            let value = kind == .instantWithReason ? UInt64(Self.names[Int(number & 3)].address) : number
            let record = TraceRecord(
                kind, name: name, time: time, value: value, frame: number, last: time & 1 == 1, session: 1)
            encoder.add(record, of: thread)
        case 7:
            // A thread that gets another name keeps its track.
            encoder.name(thread, String(decoding: input.prefix(8), as: UTF8.self))
            input = input.dropFirst(8)
        case 8: encoder.addLost(number() & 0xFFFF_FFFF, of: thread, reason: "ring full", time: number())
        case 9: encoder.writeSlices()
        default: encoder.name(thread, "thread")
        }
    }

    /// A number of up to 8 bytes.
    private mutating func number() -> UInt64 {
        let length = input.popFirst().map { Int($0) & 15 } ?? 0
        let digits = input.prefix(min(length, 8))
        input = input.dropFirst(digits.count)
        return digits.reduce(0) { ($0 << 8) | UInt64($1) }
    }

    private mutating func check() {
        encoder.writeSlices()
        encoder.finish("stopped", time: 1000)
        let bytes = encoder.takeBytes()
        require(bytes.count <= 1 << 17, "a trace is within its limit")
        do { _ = try DecodedTrace(bytes) } catch { fatalError("The trace is not valid: \(error)") }
    }
}
