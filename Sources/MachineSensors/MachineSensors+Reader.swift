import MachineState
import Threads

extension MachineSensors {
    /// Maximum number of blocked sensors, each of which blocks one thread.
    private static let mostBlocked = 8

    func startReader(if isNeeded: (inout State) -> Bool) {
        let number: Int? = state.withLock { state in
            guard !state.uses.isEmpty, isNeeded(&state) else { return nil }
            state.hasReader = true
            state.reader += 1
            return state.reader
        }
        guard let number, Worker.start("machine-sensors", { [self] in readWhileUsed(number) }) == nil else { return }
        state.withLock { if $0.reader == number { $0.hasReader = false } }
    }

    /// Starts another reader if a sensor has blocked the current reader for longer than `leastValidity`.
    func replaceBlockedReader(_ now: Duration) {
        startReader { state in
            guard let busy = state.busy, now - busy.since > Self.leastValidity,
                state.stuck.count < Self.mostBlocked
            else { return false }
            state.stuck.insert(busy.sensor)
            state.busy = nil
            return true
        }
    }

    private func readWhileUsed(_ number: Int) {
        while let (alarm, interval) = nextTurn(number) {
            readAll(number)
            alarm.sleep(for: interval)
        }
    }

    /// Returns the alarm and the duration of the next sleep; nil without users, or if a newer reader replaced this one.
    private func nextTurn(_ number: Int) -> (Alarm, Duration)? {
        state.withLock { state in
            guard state.reader == number else { return nil }
            let isUsed = !state.uses.isEmpty
            state.alarm = isUsed ? Alarm() : nil
            state.hasReader = isUsed
            return state.alarm.map { ($0, state.interval) }
        }
    }

    private func readAll(_ number: Int) {
        // The time of a reading is the time at which the reading began.
        let began = MonotonicClock.now
        let sensors = SensorFiles(
            system: root.system, files: files, willRead: { [self] in willRead($0, number) },
            didRead: { [self] in didRead($0, number) })
        let read: @Sendable (String) -> String? = { [files] in files.read($0).text }
        // Memory and clock frequency of the machine do not change, so they are read once.
        let known = state.withLock { $0.machine }
        let machine = known ?? sensors.guarded("machine") { readMachine(read) }
        let memory = sensors.guarded("memory") { MemoryFiles(root: root, read: read).readAll() } ?? .unknown
        var thermal = sensors.readAll()
        thermal.takenAt = began
        let uses: [Use] = state.withLock { [thermal] state in
            guard state.reader == number else { return [] }
            state.machine = machine
            state.memory = memory
            state.thermal = thermal
            state.readAt = state.uses.isEmpty ? nil : began
            return state.uses
        }
        for use in uses { use.readingArrived(at: began) }
    }

    private func readMachine(_ read: (String) -> String?) -> (memoryBytes: UInt64?, hertz: UInt64?) {
        (
            read(root.processes + "/meminfo").flatMap(DeviceTier.memoryBytes),
            // The file is in kilohertz.
            read(root.system + "/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")
                .flatMap { UInt64($0.prefix { $0 != "\n" }) }.flatMap { $0 < 1 << 50 ? $0 * 1000 : nil }
        )
    }

    /// Returns false if `sensor` still blocks, or a newer reader replaced this one; otherwise sets `busy`.
    private func willRead(_ sensor: String, _ number: Int) -> Bool {
        state.withLock { state in
            guard state.reader == number, !state.stuck.contains(sensor) else { return false }
            state.busy = (sensor, MonotonicClock.now)
            return true
        }
    }

    private func didRead(_ sensor: String, _ number: Int) {
        state.withLock { state in
            if state.reader == number { state.busy = nil } else { state.stuck.remove(sensor) }
        }
    }
}

/// Reads whether memory is short, from the files of the kernel and of the control groups of the process.
struct MemoryFiles: Sendable {
    let root: MachineRoot
    let read: @Sendable (String) -> String?

    func readAll() -> MemoryState {
        var state = MemoryState.unknown
        if let pressure = read(root.processes + "/pressure/memory") { state = MemoryState.fromPressure(pressure) }
        let groups = read(root.processes + "/self/cgroup").map { ControlGroup.lineage($0) } ?? []
        for group in groups { state = state.and(groupState(group)) }
        return state
    }

    private func groupState(_ group: ControlGroup) -> MemoryState {
        func text(_ path: String) -> String? { read(path.hasPrefix("/sys") ? root.system + path.dropFirst(4) : path) }
        var state = MemoryState.unknown
        if let pressure = group.pressureFile.flatMap(text) { state = .fromPressure(pressure) }
        guard let current = text(group.usageFile), let limit = text(group.limitFile) else { return state }
        return state.and(.fromUse(current: current, limit: limit, statistics: text(group.statisticsFile) ?? ""))
    }
}

/// Reads temperatures from the files of `/sys`; omits a sensor that cannot be read.
struct SensorFiles: Sendable {
    let system: String
    let files: SystemFiles
    /// Called with the name of a sensor before it is read; the sensor is omitted if the result is false.
    let willRead: @Sendable (String) -> Bool
    /// Called when the read of a sensor has ended, successfully or not.
    let didRead: @Sendable (String) -> Void

    private static let mostNames = 256

    func readAll() -> ThermalReading {
        // The folder of a Raspberry Pi is `soc`, or `soc@107c000000` on a Raspberry Pi 5. Some kernels lack the file.
        let parent = "devices/platform"
        let throttle = folders(parent, "soc").compactMap { folder in
            guarded(folder) {
                text(folder + folder.dropFirst(parent.count) + ":firmware/get_throttled").flatMap(ThrottleBits.init)
            }
        }
        return ThermalReading(zones: thermalZones() + monitors() + batteries(), throttle: throttle.first)
    }

    private func thermalZones() -> [NamedZone] {
        let isRaspberryPi = guarded("model") { word("firmware/devicetree/base/model") }?.hasPrefix("Raspberry Pi")
        return folders("class/thermal", "thermal_zone").compactMap { folder in
            guarded(folder) {
                var trips: [ThermalZone.Trip] = []
                for number in 0..<16 {
                    guard let kind = text("\(folder)/trip_point_\(number)_type") else { break }
                    let (temperature, width) = ("trip_point_\(number)_temp", "trip_point_\(number)_hyst")
                    guard let temperature = text("\(folder)/\(temperature)"),
                        let trip = ThermalZone.Trip(
                            kind: kind, temperature: temperature, hysteresis: text("\(folder)/\(width)"))
                    else { continue }
                    trips.append(trip)
                }
                if isRaspberryPi == true { trips = ThermalZone.onRaspberryPi(trips) }
                let zone = ThermalZone(mode: text("\(folder)/mode"), temperature: text("\(folder)/temp"), trips: trips)
                return zone.map { NamedZone(word("\(folder)/type") ?? folder, id: folder, $0) }
            }
        }
    }

    private func monitors() -> [NamedZone] {
        folders("class/hwmon", "hwmon").flatMap { folder -> [NamedZone] in
            // A driver whose file `name` blocks is omitted, because its other files may block as well.
            guard let name = guarded("\(folder)/name", { word("\(folder)/name") ?? folder }) else { return [] }
            return (1...16).compactMap { number -> NamedZone? in
                guarded("\(folder)/temp\(number)") {
                    let file = "\(folder)/temp\(number)_"
                    guard let input = text(file + "input"),
                        let zone = ThermalZone(
                            monitor: input, highest: text(file + "max"), critical: text(file + "crit"))
                    else { return nil }
                    let label = word(file + "label").map { "\(name):\($0)" } ?? name
                    return NamedZone(label, id: file, source: .monitor, zone)
                }
            }
        }
    }

    private func batteries() -> [NamedZone] {
        folders("class/power_supply", "").compactMap { folder in
            guarded(folder) {
                guard word("\(folder)/type") == "Battery",
                    let zone = ThermalZone(
                        battery: text("\(folder)/temp"), highest: text("\(folder)/temp_max"))
                else { return nil }
                return NamedZone(
                    folder.split(separator: "/").last.map(String.init) ?? folder, id: folder, source: .battery, zone)
            }
        }
    }

    private func folders(_ parent: String, _ prefix: String) -> [String] {
        (guarded(parent) { files.list("\(system)/\(parent)", Self.mostNames) } ?? []).filter { $0.hasPrefix(prefix) }
            .sorted()
            .map { "\(parent)/\($0)" }
    }

    /// Runs `body` as the read of `sensor`; returns nil if the sensor is omitted.
    func guarded<Result>(_ sensor: String, _ body: () -> Result?) -> Result? {
        guard willRead(sensor) else { return nil }
        defer { didRead(sensor) }
        return body()
    }

    private func text(_ path: String) -> String? { files.read("\(system)/\(path)").text }

    private func word(_ path: String) -> String? {
        let word = text(path)?.prefix { $0 != "\n" }
        return word.flatMap { $0.isEmpty ? nil : String($0) }
    }
}
