import MachineState
import Threads

/// The thread that reads the files.
extension MachineSensors {
    /// Maximum number of blocked sensors; each blocks one thread.
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

    /// Starts another reader when a sensor blocks the current one.
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

    /// The alarm and the interval of the next turn; nil when no user is left or another reader has taken over.
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
        // The time of a reading is the time at which it began.
        let began = MonotonicClock.now
        let sensors = SensorFiles(
            system: root.system, files: files, willRead: { [self] in willRead($0, number) },
            didRead: { [self] in didRead($0, number) })
        let read: @Sendable (String) -> String? = { [files] in files.read($0).text }
        // Processors do not change, so they are read once.
        let known = state.withLock { $0.processors }
        let processors = known ?? sensors.guarded("machine") { Processors(root, read: read) }
        let memory = sensors.guarded("memory") { MemoryFiles(root: root, read: read).readAll() } ?? .unknown
        var thermal = sensors.readAll()
        thermal.takenAt = began
        let uses: [Use] = state.withLock { [thermal] state in
            guard state.reader == number else { return [] }
            state.processors = processors
            state.memory = memory
            state.thermal = thermal
            state.readAt = state.uses.isEmpty ? nil : began
            return state.uses
        }
        for use in uses { use.readingArrived(at: began) }
    }

    /// Notes that the read of `sensor` begins; false when it still blocks, or another reader has taken over.
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
