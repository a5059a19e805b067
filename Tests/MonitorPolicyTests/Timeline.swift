import TestSupport

@testable import MonitorPolicy

/// A simulation of a stream through a pipeline with one element, and of the alerts that the stream causes.
struct Timeline {
    static let second: UInt64 = 1_000_000_000

    /// A change of an alert, with its time in seconds.
    struct Entry: Equatable, CustomStringConvertible {
        let time: Int
        let name: String
        let severity: Severity
        let metric: Metric

        var description: String { "\(time) s: \(name) \(severity.rawValue) \(metric.rawValue)" }
    }

    private let record = ElementRecord(name: "encoder", factory: "x264enc", now: 1)
    private let sink: PadRecord
    private let source: PadRecord
    private(set) var book: AlertBook
    private(set) var now: UInt64 = 1
    private(set) var entries: [Entry] = []
    private(set) var events: [AlertEvent] = []
    private var random = Random(seed: 41)
    private var frame: UInt64 = 0
    var memory: Double?
    var power: Double?

    init(_ text: String) throws(TargetError) {
        book = AlertBook(try Targets(text: text))
        sink = record.addPad(.sink)
        source = record.addPad(.source)
    }

    /// Seconds since the start.
    var time: Int { Int(now / Self.second) }

    /// Plays frames at `rate`, with the latency in milliseconds that `latency` returns for each second, ±5 % at random.
    mutating func play(_ seconds: Int, rate: Double = 30, latency: (Int) -> Double = { _ in 10 }) {
        for second in 0..<seconds {
            let end = now + Self.second
            let due = UInt64((Double(now) / 1e9 * rate).rounded(.up))..<UInt64((Double(end) / 1e9 * rate).rounded(.up))
            for _ in due { pass(milliseconds: latency(second) * (0.95 + random.share() / 10)) }
            now = end
            tick()
        }
    }

    /// Tells the record to expect no frames, for at most `seconds` from now on.
    func becomesQuiet(seconds: UInt64? = nil) {
        record.quiet.begin(now: now, until: seconds.map { now + $0 * Self.second } ?? .max)
    }

    /// Restarts the pipeline after `seconds`, like a change to READY and back to PLAYING.
    mutating func restart(after seconds: UInt64) {
        becomesQuiet()
        sink.restart(isLate: false)
        note(book.restart())
        now += seconds * Self.second
    }

    /// Passes one frame with this latency.
    mutating func pass(milliseconds: Double) {
        let latency = UInt64(milliseconds * 1e6)
        sink.framePassed(pts: frame, now: now)
        source.framePassed(pts: frame, now: now + latency)
        source.frameLeft(pts: frame, now: now + latency, sinks: [sink])
        record.quiet.frameArrived(now: now)
        source.recordAge(Int64(latency))
        frame += 1
    }

    private mutating func tick() {
        let counts = record.read(now: now)
        let element = ElementReading(
            id: 0, name: record.name, factory: record.factory, kinds: [], counts: counts)
        var pipeline = counts.entered
        pipeline.quiet = counts.quiet
        var process = ProcessFigures()
        (process.memory, process.power) = (memory.map { UInt64($0) }, power)
        note(book.tick([element], pipeline: pipeline, process: process, now: .nanoseconds(now)))
    }

    private mutating func note(_ events: [AlertEvent]) {
        self.events += events
        entries += events.map {
            Entry(time: time, name: $0.change.rawValue, severity: $0.alert.severity, metric: $0.alert.metric)
        }
    }
}
