import Durations
import GStreamer
import MonitorEngine
import MonitorPolicy
import Threads

/// Reads once a second what probes do not see: levels that elements report, and the process.
///
/// Not for streaming threads: it reads properties and files.
final class PipelineReader: Sendable {
    private let process = Mutex(ProcessReader())
    private let energy = EnergyWatch()

    /// Ends the readings of energy.
    func stop() { energy.stop() }

    /// Readings of all elements, also of those that are gone.
    ///
    /// CPU times are those of the last second; those of the last reading (`isLast`) are the means since the first.
    func read(_ tap: PipelineTap, isLast: Bool) -> (elements: [ElementReading], process: ProcessFigures) {
        let present = tap.elements.present
        let threads = Dictionary(present.map { ($0.id, $0.threads) }, uniquingKeysWith: { one, _ in one })
        let process = process.withLock { $0.read(threads, energy: energy.reading, isLast: isLast) }
        var places: [UInt: Int] = [:]
        var links: [[UInt]] = []
        var readings = Self.readings(tap) { element, reading in
            places[element.identity] = links.count
            links.append(element.downstream)
            (reading.cpu, reading.cpuWait) = process.elements[element.id].map { ($0.cpu, $0.wait) } ?? (nil, nil)
            reading.add(element.reported, to: element.element)
            reading.hasOwnThread = element.hasOwnThread
            reading.framerate = element.framerate
            reading.takesRawVideo = element.takesRawVideo
            reading.packetLatency = element.packetLatency
            // Drops may have been reported just now.
            reading.counts = element.record.read(now: tap.now)
        }
        for (index, next) in links.enumerated() {
            readings[index].downstream = next.compactMap { places[$0].map { readings[$0].name } }
        }
        return (readings, process.figures)
    }

    /// The counts of now, and what was read of each element before; it takes no lock of an element.
    static func recount(_ tap: PipelineTap, _ before: [ElementReading]) -> [ElementReading] {
        let known = Dictionary(before.map { ($0.id, $0) }, uniquingKeysWith: { one, _ in one })
        return readings(tap) { element, reading in
            guard let old = known[element.id] else { return }
            let (counts, name) = (reading.counts, reading.name)
            reading = old
            (reading.counts, reading.name) = (counts, name)
        }
    }

    /// The elements with their counts, in the order in which names are given: those of now, oldest first, then the others,
    /// newest first.
    private static func readings(
        _ tap: PipelineTap, _ complete: (ElementTap, inout ElementReading) -> Void
    ) -> [ElementReading] {
        let elements = tap.elements
        let present = elements.present.sorted { $0.id < $1.id }
        let former = Array(elements.former.reversed())
        let names = UniqueNames.names((present.map(\.element) + former).map(\.record.name))
        let readings = zip(present, names).map { element, name in
            var reading = ElementReading(element.element, name: name, now: tap.now)
            complete(element, &reading)
            return reading
        }
        let gone = zip(former, names.dropFirst(present.count)).map { element, name in
            var reading = ElementReading(element, name: name, now: tap.now)
            reading.isPresent = false
            return reading
        }
        return readings + gone
    }
}

extension ElementReading {
    fileprivate init(_ element: TappedElement, name: String, now: UInt64) {
        self.init(
            id: element.id, name: name, factory: element.record.factory, kinds: element.kinds,
            counts: element.record.read(now: now))
        ownName = element.record.name
        began = Duration(nanoseconds: element.record.began)
        isSink = element.isSink
        keepsFrames = element.keepsFrames
        measuresBlocked = element.measuresPushes
    }

    fileprivate mutating func add(_ values: [ReportedValue], to element: TappedElement) {
        if let drops = values.drops { element.record.reportDropped(drops) }
        let sync = values.first { $0.name == "sync" }?.value
        // A sink without this property may wait, too.
        waitsForClock = sync.map { $0 != 0 } ?? element.isSink
        levels = ElementSnapshot.Level.withLimits(
            values.filter { $0.name != "sync" }.map {
                ElementSnapshot.Level($0.name, detail: $0.detail, $0.value, isCounter: $0.isCounter)
            })
    }
}
