import GStreamer
import StreamControl
import Synchronization

/// How the machine fares: whether its memory is short, and whether it is hot.
///
/// The files are read by a thread of their own, since a driver may take its time, or never answer: then what was read
/// last grows old, and counts as unknown. One reader serves all who look at the same files, while any does.
final class MachineSensors: Sendable {
    /// Where the files are: `""`, or a folder for tests that looks like the root of a file system.
    let root: String
    private let read: @Sendable (String) -> String?

    /// How long a reading is good for.
    static let deadline: UInt64 = 3_000_000_000
    private static let interval: UInt64 = 500_000_000

    private struct Readings {
        var memory = MemoryState.unknown
        var heat = ThermalLevel.unknown
        var readAt: UInt64?
        /// Ends the sleep of the thread that reads.
        var alarm: Alarm?
        var users = 0
        /// There is never more than one, not even while a driver keeps it waiting.
        var hasReader = false
    }

    private let readings = Mutex(Readings())

    private static let all = Mutex<[String: MachineSensors]>([:])

    /// The sensors below `root`, the same for all who ask.
    static func below(_ root: String) -> MachineSensors {
        all.withLock { known in
            if let sensors = known[root] { return sensors }
            let sensors = MachineSensors(root: root)
            known[root] = sensors
            return sensors
        }
    }

    /// `read` stands for the files in tests: it gives what is in the one at a path, or nil, or takes its time.
    init(root: String, read: (@Sendable (String) -> String?)? = nil) {
        self.root = root
        self.read =
            read ?? { path in
                guard let bytes = try? SmallFile.read(path, atMost: 16_384) else { return nil }
                return String(decoding: bytes, as: UTF8.self)
            }
    }

    /// Starts to read, if nobody did; each call needs an `endUse`.
    func beginUse() {
        let isFirst = readings.withLock { readings in
            readings.users += 1
            defer { readings.hasReader = true }
            return !readings.hasReader
        }
        guard isFirst, !Background.start("machine-sensors", { [self] in readWhileUsed() }) else { return }
        readings.withLock { $0.hasReader = false }
    }

    func endUse() {
        let alarm: Alarm? = readings.withLock { readings in
            readings.users -= 1
            guard readings.users == 0 else { return nil }
            readings.readAt = nil
            return readings.alarm
        }
        alarm?.end()
    }

    private func readWhileUsed() {
        while let alarm = nextAlarm() {
            readAll()
            _ = alarm.sleep(nanoseconds: Self.interval)
        }
    }

    /// The alarm for the next turn; nil when nobody wants to know any more.
    private func nextAlarm() -> Alarm? {
        readings.withLock { readings in
            readings.alarm = readings.users > 0 ? Alarm() : nil
            readings.hasReader = readings.users > 0
            return readings.alarm
        }
    }

    /// What was read last, unless that is too long ago.
    func state(now: UInt64) -> (memory: MemoryState, heat: ThermalLevel) {
        readings.withLock { readings in
            guard let readAt = readings.readAt, now &- readAt <= Self.deadline || now < readAt else {
                return (.unknown, .unknown)
            }
            return (readings.memory, readings.heat)
        }
    }

    /// Whether the files have been read since the first use.
    var hasReading: Bool { readings.withLock { $0.readAt != nil } }

    private func readAll() {
        // What took long to read is as old as its beginning.
        let began = Monotonic.now
        let memory = readMemory()
        let heat = readHeat()
        readings.withLock { readings in
            guard readings.users > 0 else { return }
            readings.memory = memory
            readings.heat = heat
            readings.readAt = began
        }
    }

    private func readMemory() -> MemoryState {
        var state = MemoryState.unknown
        if let pressure = text("/proc/pressure/memory") { state = MemoryState.fromPressure(pressure) }
        for group in text("/proc/self/cgroup").map(ControlGroup.lineage) ?? [] { state = state.and(readGroup(group)) }
        return state
    }

    private func readGroup(_ group: ControlGroup) -> MemoryState {
        var state = MemoryState.unknown
        if let file = group.pressureFile, let pressure = text(file) { state = .fromPressure(pressure) }
        guard let current = text(group.usageFile), let limit = text(group.limitFile) else { return state }
        return state.and(
            .fromUse(current: current, limit: limit, statistics: text(group.statisticsFile) ?? ""))
    }

    private func readHeat() -> ThermalLevel {
        let folder = "/sys/class/thermal"
        let names = SmallFolder.names(in: root + folder, atMost: 256).filter { $0.hasPrefix("thermal_zone") }
        return ThermalZone.level(of: names.compactMap { readZone("\(folder)/\($0)") })
    }

    private func readZone(_ folder: String) -> ThermalZone? {
        var trips: [ThermalZone.Trip] = []
        for number in 0..<16 {
            guard let kind = text("\(folder)/trip_point_\(number)_type") else { break }
            guard let temperature = text("\(folder)/trip_point_\(number)_temp"),
                let trip = ThermalZone.Trip(kind: kind, temperature: temperature)
            else { continue }
            trips.append(trip)
        }
        return ThermalZone(mode: text("\(folder)/mode"), temperature: text("\(folder)/temp"), trips: trips)
    }

    private func text(_ path: String) -> String? { read(root + path) }
}
