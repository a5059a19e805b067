import Durations
import MachineSensors
import MachineState
import MonitorPolicy
import Synchronization
import Threads

/// Reads CPU, memory and energy of the process, and how busy the machine is.
///
/// Not for streaming threads: it reads files.
struct ProcessReader: Sendable {
    /// Figures of the process and of its threads since the last reading, or since the first with `isLast`.
    struct Reading {
        let figures: ProcessFigures
        /// Of each element that was asked for.
        let elements: [Int: (cpu: Double?, wait: Double?)]
    }

    private var usage = ProcessUsageReader()
    private var memory = ProcessMemoryReader()
    private var machine = MachineLoadReader()
    private var began: Duration?
    private var last: Duration?
    /// CPU time of the process at the first reading.
    private var timeAtStart: Duration?
    /// Core-seconds and seconds of waiting of each element so far.
    private var spent: [Int: Spent] = [:]

    private struct Spent: Sendable {
        let since: Duration
        var cpu = 0.0
        var wait = 0.0
    }

    /// Reads all; `threads` are those that pass the frames of each element.
    mutating func read(_ threads: [Int: Set<Int32>], energy: EnergyReading?, isLast: Bool) -> Reading {
        let now = MonotonicClock.now
        let usage = usage.read(at: now)
        let before = last ?? now
        last = now
        began = began ?? now
        timeAtStart = timeAtStart ?? usage.time
        let age = (now - (began ?? now)).inSeconds
        var elements: [Int: (cpu: Double?, wait: Double?)] = [:]
        let names = usage.names(ofOne: threads.values.reduce(into: []) { $0.formUnion($1) })
        for (id, ids) in threads {
            let all = usage.threads(startedBy: ids, names)
            elements[id] = read(id, usage, all, from: before, to: now, isLast: isLast)
        }
        // Elements that were removed have no mean in the last reading.
        spent = spent.filter { threads[$0.key] != nil }
        var figures = figures(usage)
        figures.add(memory.read(at: now))
        figures.add(machine.read(at: now, sinceStart: isLast))
        figures.add(energy)
        if isLast, age > 0 {
            if let time = usage.time, let start = timeAtStart { figures.cpu = (time - start).inSeconds / age }
            figures.cpuWait = usage.waited.map { $0.inSeconds / age }
        }
        return Reading(figures: figures, elements: elements)
    }

    private mutating func read(
        _ id: Int, _ usage: ProcessUsage, _ threads: Set<Int32>, from last: Duration, to now: Duration, isLast: Bool
    ) -> (cpu: Double?, wait: Double?) {
        let (cpu, wait) = (usage.cores(of: threads), usage.waiting(of: threads))
        var sum = spent[id] ?? Spent(since: last)
        let elapsed = (now - last).inSeconds
        sum.cpu += (cpu ?? 0) * elapsed
        sum.wait += (wait ?? 0) * elapsed
        spent[id] = sum
        let age = (now - sum.since).inSeconds
        guard isLast, age > 0 else { return (cpu, wait) }
        return (sum.cpu / age, usage.waited == nil ? nil : sum.wait / age)
    }

    private func figures(_ usage: ProcessUsage) -> ProcessFigures {
        var figures = ProcessFigures()
        figures.cpu = usage.cores
        figures.cpuWait = usage.waiting
        figures.processors = usage.processors
        let busiest = usage.threads.sorted { ($0.cores ?? 0) > ($1.cores ?? 0) }.prefix(32)
        figures.threads = busiest.compactMap { thread in
            thread.cores.map { ProcessFigures.Thread(name: thread.name, cpu: $0, wait: thread.waiting) }
        }
        return figures
    }
}

extension ProcessFigures {
    fileprivate mutating func add(_ memory: ProcessMemory) {
        self.memory = memory.resident
        peakMemory = memory.peak
    }

    fileprivate mutating func add(_ machine: MachineLoad) {
        machineCPU = machine.processors?.busy
        machineProcessors = machine.processors?.processors
        stolenCPU = machine.processors?.stolen
        cpuPressure = machine.pressure
    }

    fileprivate mutating func add(_ energy: EnergyReading?) {
        switch energy {
        case .measured(let measured):
            self.energy = measured.joules
            power = measured.watts
            energySource = measured.source
        case .notMeasurable(let reason): energySource = reason
        case nil: break
        }
    }
}

extension ProcessUsage {
    /// Names that exactly one of these threads has; the kernel keeps 15 bytes of a name.
    fileprivate func names(ofOne ids: Set<Int32>) -> Set<String> {
        let names = threads.filter { ids.contains($0.id) && !$0.name.isEmpty }.map(\.name)
        return Set(Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +).filter { $0.value == 1 }.keys)
    }

    /// The threads with these ids, and those that they started: a new thread has the name of the one that starts it.
    ///
    /// Of a name that is not in `known`, it is not clear which thread started others.
    fileprivate func threads(startedBy ids: Set<Int32>, _ known: Set<String>) -> Set<Int32> {
        let names = Set(threads.filter { ids.contains($0.id) }.map(\.name)).intersection(known)
        return ids.union(threads.filter { names.contains($0.name) }.map(\.id))
    }
}
