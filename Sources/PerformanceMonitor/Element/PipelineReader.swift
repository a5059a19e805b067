import Durations
import GStreamer
import MachineSensors
import MachineState
import MonitorEngine
import MonitorPolicy
import Synchronization
import Threads

/// Reads once a second what probes do not see: levels that elements report, and the process.
///
/// Not for streaming threads: it reads properties and files.
final class PipelineReader: Sendable {
    private struct Readers: Sendable {
        var usage = ProcessUsageReader()
        var memory = ProcessMemoryReader()
        var began: Duration?
        var last: Duration?
        /// CPU time of the process at the first reading.
        var timeAtStart: Duration?
        /// Core-seconds of each element so far.
        var spent: [Int: Double] = [:]
    }

    private let readers = Mutex(Readers())
    private let energy = EnergyWatch()

    /// Ends the readings of energy.
    func stop() { energy.stop() }

    /// Readings of all elements, also of those that are gone.
    ///
    /// CPU times are those of the last second; those of the last reading (`isLast`) are the means since the first.
    func read(_ tap: PipelineTap, isLast: Bool) -> (elements: [ElementReading], process: ProcessFigures) {
        let (present, former) = tap.elements
        return readers.withLock { readers in
            let now = MonotonicClock.now
            let usage = readers.usage.read(at: now)
            let elapsed = (now - (readers.last ?? now)).inSeconds
            readers.last = now
            readers.began = readers.began ?? now
            let age = (now - (readers.began ?? now)).inSeconds
            let elements =
                present.map { element in
                    let cpu = usage.cores(of: usage.threads(startedBy: element.threads))
                    readers.spent[element.id, default: 0] += (cpu ?? 0) * elapsed
                    let mean = age > 0 ? readers.spent[element.id].map { $0 / age } : nil
                    return read(element, now: tap.now, cpu: isLast ? mean : cpu)
                } + former.map { Self.read($0, [], now: tap.now) }
            var figures = figures(usage, readers.memory.read(at: now))
            readers.timeAtStart = readers.timeAtStart ?? usage.time
            if isLast, age > 0, let time = usage.time, let start = readers.timeAtStart {
                figures.cpu = (time - start).inSeconds / age
            }
            return (elements, figures)
        }
    }

    private func figures(_ usage: ProcessUsage, _ memory: ProcessMemory) -> ProcessFigures {
        var figures = ProcessFigures()
        figures.cpu = usage.cores
        figures.processors = usage.processors
        let busiest = usage.threads.sorted { ($0.cores ?? 0) > ($1.cores ?? 0) }.prefix(32)
        figures.threads = busiest.compactMap { thread in
            thread.cores.map { ProcessFigures.Thread(name: thread.name, cpu: $0) }
        }
        figures.memory = memory.resident
        figures.peakMemory = memory.peak
        switch energy.reading {
        case .measured(let energy):
            figures.energy = energy.joules
            figures.power = energy.watts
            figures.energySource = energy.source
        case .notMeasurable(let reason): figures.energySource = reason
        case nil: break
        }
        return figures
    }

    private func read(_ tap: ElementTap, now: UInt64, cpu: Double?) -> ElementReading {
        var reading = Self.read(tap.element, tap.reported, now: now)
        reading.cpu = cpu
        reading.downstream = tap.downstream
        return reading
    }

    private static func read(_ element: TappedElement, _ values: [ReportedValue], now: UInt64) -> ElementReading {
        if let dropped = values.first(where: { $0.name == "dropped" }) {
            element.record.reportDropped(UInt64(max(0, min(dropped.value, 9e15))))
        }
        var reading = ElementReading(
            id: element.id, name: element.record.name, factory: element.record.factory, kinds: element.kinds,
            counts: element.record.read(now: now))
        reading.isSink = element.isSink
        reading.keepsFrames = element.keepsFrames
        reading.measuresBlocked = element.measuresPushes
        reading.levels = values.map {
            ElementSnapshot.Level($0.name, detail: $0.detail, $0.value, isCounter: $0.isCounter)
        }
        return reading
    }
}

extension ProcessUsage {
    /// The threads with these ids, and those that they started: a new thread has the name of the one that starts it.
    fileprivate func threads(startedBy ids: Set<Int32>) -> Set<Int32> {
        let names = Set(threads.filter { ids.contains($0.id) && !$0.name.isEmpty }.map(\.name))
        return ids.union(threads.filter { names.contains($0.name) }.map(\.id))
    }
}
