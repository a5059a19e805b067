@testable import MonitorPolicy

/// A simulated pipeline whose elements have a constant latency and rate, and constant levels.
struct DrawnPipeline {
    struct Element {
        var name: String
        var kinds: [String] = []
        /// Latency in milliseconds.
        var latency = 0.05
        var rate = 20.0
        var buffers: (now: Double, limit: Double)?
        /// Frames that the element discards each second.
        var drops = 0
        var cpu: Double?
        var cpuWait: Double?
        var waitsForClock = false
        /// Whether each frame leaves when the next frame enters.
        var holdsOne = false
        var hasOwnThread = false
        /// Packets per second of a jitter buffer: passed packets, missing packets, and late packets among the missing.
        var packets: (pushed: Double, lost: Double, late: Double)?
        /// Framerate in the caps of a source.
        var framerate: Double?
        /// Levels besides `buffers`.
        var levels: [ElementSnapshot.Level] = []
        /// Second in which the element is removed; afterwards, it has no levels, links and frames.
        var removed: UInt64 = 1_000
        var next: [String]

        static func source(_ name: String, to next: String...) -> Element {
            Element(name: name, kinds: ["source"], next: next)
        }

        /// A queue with a limit of 10 buffers, which contains the share `fill` of this limit.
        static func queue(_ name: String, _ fill: Double, drops: Int = 0, to next: String...) -> Element {
            Element(
                name: name, kinds: ["queue"], latency: fill * 10 * 50 + 0.02, buffers: (fill * 10, 10), drops: drops,
                next: next)
        }

        static func sink(_ name: String, waitsForClock: Bool = false) -> Element {
            Element(name: name, kinds: ["sink"], waitsForClock: waitsForClock, next: [])
        }
    }

    /// Plays ten seconds and returns the last snapshot; with `isLast`, the snapshot of the end of the recording.
    static func snapshot(
        _ elements: [Element], process: ProcessFigures = ProcessFigures(), showsAll: Bool = false, isLast: Bool = false
    ) -> MonitorSnapshot {
        let second: UInt64 = 1_000_000_000
        var book = PipelineBook(name: "pipeline0", targets: Targets(), showsAll: showsAll, now: .nanoseconds(second))
        let records = elements.map { Record($0) }
        var snapshot = MonitorSnapshot(name: "", time: .zero)
        for time in 1...10 as ClosedRange<UInt64> {
            for record in records { record.play(time * second) }
            let now = (time + 1) * second
            let readings = records.enumerated().map { $1.reading($0, now) }
            snapshot = book.tick(readings, process: process, now: .nanoseconds(now)).snapshot
            if time == 10, isLast {
                var empty = readings
                for index in empty.indices { empty[index].levels = [] }
                snapshot = book.tick(empty, process: process, now: .nanoseconds(now + 1), isLast: true).snapshot
            }
        }
        return snapshot
    }

    private final class Record {
        let element: Element
        let record: ElementRecord
        let sink: PadRecord?
        let source: PadRecord?
        var dropped: UInt64 = 0
        /// Time of the previous frame, for an element that holds one frame.
        var before: UInt64 = 0

        init(_ element: Element) {
            self.element = element
            record = ElementRecord(name: element.name, factory: element.name, now: 1)
            sink = element.kinds.contains("source") ? nil : record.addPad(.sink)
            source = element.kinds.contains("sink") ? nil : record.addPad(.source)
        }

        func play(_ start: UInt64) {
            guard start < element.removed * 1_000_000_000 else { return }
            for frame in 0..<UInt64(element.rate) {
                let now = start + UInt64(Double(frame) * 1e9 / element.rate)
                let left = now + UInt64(element.latency * 1e6)
                sink?.framePassed(pts: now, now: now)
                record.quiet.frameArrived(now: now)
                let leaving = element.holdsOne ? before : now
                source?.framePassed(pts: leaving, now: left)
                if let sink { source?.frameLeft(pts: leaving, now: element.holdsOne ? now : left, sinks: [sink]) }
                before = now
            }
            dropped += UInt64(element.drops)
            if element.drops > 0 { record.reportDropped(dropped) }
        }

        func reading(_ id: Int, _ now: UInt64) -> ElementReading {
            var reading = ElementReading(
                id: id, name: element.name, factory: element.name, kinds: element.kinds, counts: record.read(now: now))
            reading.isSink = element.kinds.contains("sink")
            reading.waitsForClock = element.waitsForClock
            reading.hasOwnThread = element.hasOwnThread
            guard now <= element.removed * 1_000_000_000 else { return reading }
            (reading.cpu, reading.cpuWait, reading.downstream) = (element.cpu, element.cpuWait, element.next)
            reading.levels = ElementSnapshot.Level.withLimits(element.levels)
            reading.framerate = element.framerate
            if let packets = element.packets {
                let seconds = (Double(now) / 1e9) - 1
                reading.packetLatency = .milliseconds(200)
                reading.levels += [
                    .init("num-pushed", packets.pushed * seconds, isCounter: true),
                    .init("num-lost", packets.lost * seconds, isCounter: true),
                    .init("num-late", packets.late * seconds, isCounter: true),
                ]
            }
            if let buffers = element.buffers {
                reading.levels += ElementSnapshot.Level.withLimits([
                    .init("current-level-buffers", buffers.now), .init("max-size-buffers", buffers.limit),
                    .init("max-size-bytes", 0), .init("current-level-bytes", 1e9),
                ])
            }
            return reading
        }
    }
}
