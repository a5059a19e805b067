import MachineSensors
import MachineState
import Threads

/// Reads the energy of the machine once a second on a thread that is never waited for: a driver may block.
final class EnergyWatch: Sendable {
    private let alarm = Alarm()
    private let latest = Mutex<EnergyReading?>(nil)

    /// Starts to read.
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

    /// The last reading; nil before the first.
    var reading: EnergyReading? { latest.withLock { $0 } }

    /// Ends the thread when its reading returns.
    func stop() { alarm.end() }
}
