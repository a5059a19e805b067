import Durations
import MachineSensors
import MachineState
import MonitorEngine
import MonitorPolicy
import Threads

/// Reads the levels that elements report, and the figures of the process, which probes cannot measure.
///
/// Do not call `read` on a streaming thread, because it reads properties and files.
final class PipelineReader: Sendable {
    private let process = Mutex(ProcessReader())
    private let energy = EnergyWatch()

    func stop() { energy.stop() }

    /// Reads all elements, including removed ones.
    ///
    /// CPU times are means over the last second, or since the first reading if `isLast` is set.
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
            reading.add(element.reported, to: element)
            reading.hasOwnThread = element.hasOwnThread
            reading.framerate = element.framerate
            reading.takesRawVideo = element.takesRawVideo
            reading.packetLatency = element.packetLatency
        }
        for (index, next) in links.enumerated() {
            readings[index].downstream = next.compactMap { places[$0].map { readings[$0].name } }
        }
        return (readings, process.figures)
    }

    /// Returns the readings `before` with current counts; locks no mutex of an element.
    static func recount(_ tap: PipelineTap, _ before: [ElementReading]) -> [ElementReading] {
        let known = Dictionary(before.map { ($0.id, $0) }, uniquingKeysWith: { one, _ in one })
        return readings(tap) { element, reading in
            if let old = known[element.id] { reading = old }
        }
    }

    /// Elements with their counts, as they are named: present elements, oldest first, then removed ones, newest first.
    private static func readings(
        _ tap: PipelineTap, _ complete: (ElementTap, inout ElementReading) -> Void
    ) -> [ElementReading] {
        let (present, former) = tap.elements
        let elements = present.sorted { $0.id < $1.id } + former.reversed()
        let names = ElementReading.uniqueNames(elements.map(\.record.name))
        return zip(elements, names).enumerated().map { index, each in
            let (element, name) = each
            var reading = ElementReading(element, name: name)
            if index < present.count { complete(element, &reading) } else { reading.isPresent = false }
            // The counts are read after `complete`, which may report drops.
            (reading.name, reading.counts) = (name, element.record.read(now: tap.now))
            return reading
        }
    }
}

extension ElementReading {
    fileprivate init(_ element: ElementTap, name: String) {
        self.init(
            id: element.id, name: name, factory: element.record.factory, kinds: element.kinds, counts: ElementCounts())
        ownName = element.record.name
        began = Duration(nanoseconds: element.record.began)
        isSink = element.isSink
        keepsFrames = element.keepsFrames
        measuresBlocked = element.measuresPushes
    }

    fileprivate mutating func add(_ values: [ElementSnapshot.Level], to element: ElementTap) {
        if let drops = values.drops { element.record.reportDropped(drops) }
        let sync = values.first { $0.name == "sync" }?.value
        // A sink without the property `sync` may also wait.
        waitsForClock = sync.map { $0 != 0 } ?? element.isSink
        levels = ElementSnapshot.Level.withLimits(values.filter { $0.name != "sync" })
    }
}

/// Reads the energy of the machine once a second on a thread that is never joined, because a driver may block.
final class EnergyWatch: Sendable {
    private let alarm = Alarm()
    private let latest = Mutex<EnergyReading?>(nil)

    init() {
        let alarm = alarm
        _ = Worker.start("energy") { [weak self] in
            var reader = EnergyReader()
            repeat {
                let reading = reader.read(at: MonotonicClock.now)
                self?.latest.withLock { $0 = reading }
            } while alarm.sleep(for: .seconds(1))
        }
    }

    var reading: EnergyReading? { latest.withLock { $0 } }

    /// Ends the thread when its reading returns.
    func stop() { alarm.end() }
}

/// Reads CPU time and memory of the process, and the load of the machine.
///
/// Do not call `read` on a streaming thread, because it reads files.
struct ProcessReader: Sendable {
    private var usage = ProcessUsageReader()
    private var machine = MachineLoadReader()
    private var began: Duration?
    private var last: Duration?
    /// CPU time of the process at the first reading.
    private var timeAtStart: Duration?
    /// CPU time and waiting time of the threads of each element so far, in seconds.
    private var spent: [Int: Spent] = [:]

    private struct Spent: Sendable {
        let since: Duration
        var cpu = 0.0
        var wait = 0.0
    }

    /// Reads figures since the last reading, or with `isLast` since the first one.
    ///
    /// `threads` are the threads that pass the frames of each element.
    mutating func read(
        _ threads: [Int: Set<Int32>], energy: EnergyReading?, isLast: Bool
    ) -> (figures: ProcessFigures, elements: [Int: (cpu: Double?, wait: Double?)]) {
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
        // Removed elements have no mean in the last reading, so their sums are discarded.
        spent = spent.filter { threads[$0.key] != nil }
        var figures = figures(usage)
        let memory = SystemFiles.text(at: "/proc/self/status").map(ProcessUsage.Memory.init(status:))
        (figures.memory, figures.peakMemory) = (memory?.resident, memory?.peak)
        figures.add(machine.read(at: now, sinceStart: isLast))
        figures.add(energy)
        if isLast, age > 0 {
            if let time = usage.time, let start = timeAtStart { figures.cpu = (time - start).inSeconds / age }
            figures.cpuWait = usage.waited.map { $0.inSeconds / age }
        }
        return (figures, elements)
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
        figures.threads = usage.threads.sorted { ($0.cores ?? 0) > ($1.cores ?? 0) }.prefix(32).filter {
            $0.cores != nil
        }
        return figures
    }
}

extension ProcessFigures {
    fileprivate mutating func add(_ machine: MachineLoadReader.Load) {
        machineCPU = machine.processors?.busy
        machineProcessors = machine.processors?.processors
        stolenCPU = machine.processors?.stolen
        cpuPressure = machine.pressure
    }

    fileprivate mutating func add(_ energy: EnergyReading?) {
        (self.energy, power, energySource) = (energy?.joules, energy?.watts, energy?.source ?? "")
    }
}

extension ProcessUsage {
    /// Names that exactly one of these threads has; the kernel stores 15 bytes of a name.
    fileprivate func names(ofOne ids: Set<Int32>) -> Set<String> {
        let names = threads.filter { ids.contains($0.id) && !$0.name.isEmpty }.map(\.name)
        return Set(Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +).filter { $0.value == 1 }.keys)
    }

    /// Threads with these ids, and those that they started, which inherit their names.
    ///
    /// If a name is not in `known`, several threads have it, and it is unknown which of them started others.
    fileprivate func threads(startedBy ids: Set<Int32>, _ known: Set<String>) -> Set<Int32> {
        let names = Set(threads.filter { ids.contains($0.id) }.map(\.name)).intersection(known)
        return ids.union(threads.filter { names.contains($0.name) }.map(\.id))
    }
}
