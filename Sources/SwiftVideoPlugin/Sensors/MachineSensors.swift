import GStreamer
import StreamControl
import Synchronization

/// How the machine fares: whether its memory is short, and whether it is hot.
///
/// The files are read by a thread of their own, since a driver may take its time, or never answer. A sensor that has
/// not answered for as long as a reading is good for is left out until it does, and another thread goes on with the
/// rest. One reader serves all who look at the same files, while any does.
final class MachineSensors: Sendable {
    /// What stands for `/proc` and `/sys`.
    private let processes: String
    private let system: String
    private let read: @Sendable (String) -> String?
    private let list: @Sendable (String) -> [String]

    /// How long a reading is good for, at least.
    static let deadline: UInt64 = 3_000_000_000
    static let usualInterval: UInt64 = 500_000_000
    /// Each is a thread that waits.
    private static let mostStuck = 8

    private struct Readings {
        var memory = MemoryState.unknown
        var thermal = ThermalReading()
        var machine: Machine?
        var readAt: UInt64?
        /// Ends the sleep of the thread that reads.
        var alarm: Alarm?
        var uses: [Use] = []
        var hasReader = false
        /// The reader that counts; one that was stuck has an older number.
        var reader = 0
        /// The sensor that is being read, and since when.
        var busy: (sensor: String, since: UInt64)?
        /// Sensors that do not answer; a thread waits for each.
        var stuck: Set<String> = []

        var interval: UInt64 { uses.map(\.interval).min() ?? MachineSensors.usualInterval }
        /// Nanoseconds.
        var goodFor: UInt64 { max(MachineSensors.deadline, interval &* 3) }
    }

    private let readings = Mutex(Readings())

    /// Somebody who wants to know.
    final class Use: Sendable {
        /// How often, in nanoseconds.
        let interval: UInt64
        private let onReading: @Sendable () -> Void
        private let toldAt = Atomic<UInt64>(0)

        fileprivate init(interval: UInt64, onReading: @escaping @Sendable () -> Void) {
            self.interval = interval
            self.onReading = onReading
        }

        // Others may want readings more often. On the reader's thread.
        fileprivate func tell(now: UInt64) {
            let last = toldAt.load(ordering: .relaxed)
            guard last == 0 || now &- last >= interval - interval / 8 else { return }
            toldAt.store(now, ordering: .relaxed)
            onReading()
        }
    }

    private static let all = Mutex<[String: MachineSensors]>([:])

    /// The sensors below `root`, `""` or a folder for tests that looks like the root of a file system.
    static func below(_ root: String) -> MachineSensors { at(system: root + "/sys") }

    /// The sensors in `system`, the same for all who ask; a folder called `sys` has its `proc` beside it.
    static func at(system: String) -> MachineSensors {
        var system = Substring(system)
        while system.hasSuffix("/") { system.removeLast() }
        return system.hasSuffix("/sys") || system == "sys"
            ? at(system: String(system), processes: system.dropLast(3) + "proc")
            : at(system: String(system), processes: "/proc")
    }

    private static func at(system: String, processes: String) -> MachineSensors {
        all.withLock { known in
            if let sensors = known[system] { return sensors }
            let sensors = MachineSensors(system: system, processes: processes)
            known[system] = sensors
            return sensors
        }
    }

    /// `read` and `list` stand for the files and folders in tests: they give what is in the one at a path, or nothing,
    /// or take their time.
    convenience init(
        root: String, read: (@Sendable (String) -> String?)? = nil, list: (@Sendable (String) -> [String])? = nil
    ) {
        self.init(system: root + "/sys", processes: root + "/proc", read: read, list: list)
    }

    private init(
        system: String, processes: String, read: (@Sendable (String) -> String?)? = nil,
        list: (@Sendable (String) -> [String])? = nil
    ) {
        self.system = system
        self.processes = processes
        self.read = read ?? { (try? SmallFile.read($0, atMost: 16_384)).map { String(decoding: $0, as: UTF8.self) } }
        self.list = list ?? { SmallFolder.names(in: $0, atMost: 256) }
    }

    /// Starts to read, if nobody did.
    ///
    /// Each use needs an `endUse`. The interval is in nanoseconds.
    /// `onReading` is called on the reader's thread after each reading that is due.
    func beginUse(interval: UInt64 = usualInterval, onReading: @escaping @Sendable () -> Void = {}) -> Use {
        let use = Use(interval: interval, onReading: onReading)
        let alarm: Alarm? = readings.withLock { readings in
            readings.uses.append(use)
            return readings.hasReader ? readings.alarm : nil
        }
        // Who sleeps now may have to read sooner.
        alarm?.end()
        startReader { !$0.hasReader }
        return use
    }

    func endUse(_ use: Use) {
        let alarm: Alarm? = readings.withLock { readings in
            readings.uses.removeAll { $0 === use }
            guard readings.uses.isEmpty else { return nil }
            readings.readAt = nil
            return readings.alarm
        }
        alarm?.end()
    }

    /// What was read last, unless that is too long ago.
    func state(now: UInt64) -> (memory: MemoryState, heat: ThermalLevel) {
        lookAfterReader(now)
        return readings.withLock { readings in
            Self.isFresh(readings, now) ? (readings.memory, readings.thermal.level) : (.unknown, .unknown)
        }
    }

    /// Whether the files have been read since the first use.
    var hasReading: Bool { readings.withLock { $0.readAt != nil } }

    /// What the thermal sensors said last; nil when that is too long ago.
    func thermal(now: UInt64) -> ThermalReading? {
        lookAfterReader(now)
        return readings.withLock { Self.isFresh($0, now) ? $0.thermal : nil }
    }

    /// How much the machine can be asked to do; nil until the files have been read.
    var tier: DeviceTier? { readings.withLock { $0.machine ?? ($0.readAt == nil ? nil : Machine()) }?.tier }

    private static func isFresh(_ readings: borrowing Readings, _ now: UInt64) -> Bool {
        guard let readAt = readings.readAt else { return false }
        return now < readAt || now &- readAt <= readings.goodFor
    }

    // MARK: The reader

    private func startReader(if isNeeded: (inout Readings) -> Bool) {
        let number: Int? = readings.withLock { readings in
            guard !readings.uses.isEmpty, isNeeded(&readings) else { return nil }
            readings.hasReader = true
            readings.reader += 1
            return readings.reader
        }
        guard let number, !Background.start("machine-sensors", { [self] in readWhileUsed(number) }) else { return }
        readings.withLock { if $0.reader == number { $0.hasReader = false } }
    }

    /// Sets another reader to work when this one is held up by a sensor.
    private func lookAfterReader(_ now: UInt64) {
        startReader { readings in
            guard let busy = readings.busy, now > busy.since, now &- busy.since > Self.deadline,
                readings.stuck.count < Self.mostStuck
            else { return false }
            readings.stuck.insert(busy.sensor)
            readings.busy = nil
            return true
        }
    }

    private func readWhileUsed(_ number: Int) {
        while let (alarm, interval) = nextTurn(number) {
            readAll(number)
            _ = alarm.sleep(nanoseconds: interval)
        }
    }

    /// The alarm for the next turn; nil when nobody wants to know any more, or another reads.
    private func nextTurn(_ number: Int) -> (Alarm, UInt64)? {
        readings.withLock { readings in
            guard readings.reader == number else { return nil }
            let isUsed = !readings.uses.isEmpty
            readings.alarm = isUsed ? Alarm() : nil
            readings.hasReader = isUsed
            return readings.alarm.map { ($0, readings.interval) }
        }
    }

    private func readAll(_ number: Int) {
        // What took long to read is as old as its beginning.
        let began = Monotonic.now
        let files = SensorFiles(
            system: system, mayRead: { [self] in begin($0, number) }, hasRead: { [self] in end($0, number) },
            read: read, list: list)
        // It does not change.
        let known = readings.withLock { $0.machine }
        let machine = known ?? files.guarded("machine") { Machine(system: system, processes: processes, read: read) }
        let memory = files.guarded("memory") { readMemory() } ?? .unknown
        var thermal = files.readAll()
        thermal.takenAt = began
        let uses: [Use] = readings.withLock { [thermal] readings in
            guard readings.reader == number else { return [] }
            readings.machine = machine
            readings.memory = memory
            readings.thermal = thermal
            readings.readAt = readings.uses.isEmpty ? nil : began
            return readings.uses
        }
        for use in uses { use.tell(now: began) }
    }

    /// Notes that `sensor` is about to be read; false when it still owes an answer, or another reader has taken over.
    private func begin(_ sensor: String, _ number: Int) -> Bool {
        readings.withLock { readings in
            guard readings.reader == number, !readings.stuck.contains(sensor) else { return false }
            readings.busy = (sensor, Monotonic.now)
            return true
        }
    }

    private func end(_ sensor: String, _ number: Int) {
        readings.withLock { readings in
            if readings.reader == number { readings.busy = nil } else { readings.stuck.remove(sensor) }
        }
    }

    // MARK: Memory

    private func readMemory() -> MemoryState {
        var state = MemoryState.unknown
        if let pressure = read(processes + "/pressure/memory") { state = MemoryState.fromPressure(pressure) }
        let groups = read(processes + "/self/cgroup").map(ControlGroup.lineage) ?? []
        for group in groups { state = state.and(readGroup(group)) }
        return state
    }

    private func readGroup(_ group: ControlGroup) -> MemoryState {
        func text(_ path: String) -> String? { read(path.hasPrefix("/sys") ? system + path.dropFirst(4) : path) }
        var state = MemoryState.unknown
        if let pressure = group.pressureFile.flatMap(text) { state = .fromPressure(pressure) }
        guard let current = text(group.usageFile), let limit = text(group.limitFile) else { return state }
        return state.and(.fromUse(current: current, limit: limit, statistics: text(group.statisticsFile) ?? ""))
    }
}
