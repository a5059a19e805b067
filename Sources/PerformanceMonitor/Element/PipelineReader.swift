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
    }

    private let readers = Mutex(Readers())
    private let energy = EnergyWatch()

    /// Ends the readings of energy.
    func stop() { energy.stop() }

    /// Readings of all elements, also of those that are gone.
    func read(_ tap: PipelineTap) -> (elements: [ElementReading], process: ProcessFigures) {
        let (present, former) = tap.elements
        let (figures, usage) = readProcess()
        return (
            present.map { read($0, isPresent: true, now: tap.now, usage) }
                + former.map { read($0, isPresent: false, now: tap.now, usage) }, figures
        )
    }

    private func readProcess() -> (ProcessFigures, ProcessUsage) {
        let now = MonotonicClock.now
        let (usage, memory) = readers.withLock { ($0.usage.read(at: now), $0.memory.read(at: now)) }
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
        return (figures, usage)
    }

    private func read(
        _ element: ElementTap, isPresent: Bool, now: UInt64, _ usage: ProcessUsage
    ) -> ElementReading {
        let values = isPresent ? element.reported : []
        if let dropped = values.first(where: { $0.name == "dropped" }) {
            element.record.reportDropped(UInt64(max(0, min(dropped.value, 9e15))))
        }
        var reading = ElementReading(
            id: element.id, name: element.record.name, factory: element.record.factory, kinds: element.kinds,
            counts: element.record.read(now: now))
        reading.isSink = element.isSink
        reading.keepsFrames = element.keepsFrames
        reading.cpu = isPresent ? usage.cores(of: element.threads) : nil
        reading.levels = values.map { ElementSnapshot.Level($0.name, detail: $0.detail, $0.value, isCounter: $0.isCounter) }
        reading.downstream = isPresent ? element.downstream : []
        return reading
    }
}
